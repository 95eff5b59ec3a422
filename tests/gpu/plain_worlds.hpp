// Random worlds in which plain switches can run by ports: about one in 20.
#pragma once

#include <vector>

#include "kernels/instantiate/instantiate.hpp"
#include "kernels/ports/bins.hpp"
#include "tests/property/world_case.hpp"

namespace heddle::property {

/// The first `count` seeds of such worlds.
inline std::vector<u64> plain_seeds(u64 count) {
  std::vector<u64> seeds;
  for (u64 seed = 1; seeds.size() < count; ++seed) {
    Model model;
    instantiate(build(case_of_seed(seed)), {}, model);
    if (may_go_by_ports(model.view.settings)) seeds.push_back(seed);
  }
  return seeds;
}

}  // namespace heddle::property
