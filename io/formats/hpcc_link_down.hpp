// HPCC's LINK_DOWN: a cable that goes down in the middle of a run.
#pragma once

#include <optional>

#include "io/formats/hpcc_inputs.hpp"
#include "io/formats/hpcc_keys.hpp"

namespace heddle {

struct HpccLinkDown {
  u32 a = 0, b = 0;  // the switches that it joins, by their numbers in the topology file
  u64 at_ps = 0;
};

/// None: no link goes down, or what is wrong with it has been added to the problems.
std::optional<HpccLinkDown> hpcc_link_down(HpccConfig& config, const HpccInputs& inputs);

}  // namespace heddle
