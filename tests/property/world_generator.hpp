// Small random worlds for tests, as configurations: one seed, one world.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle::property {

struct RandomWorld {
  std::string name;  // of the configuration: "seed_17.toml"
  std::string toml;
  std::vector<std::pair<std::string, std::string>> files;  // (name, content) of what it reads from beside it
};

/// A world of 2 to 36 endpoints and, mostly, up to 20,000 packet hops. It always builds.
RandomWorld random_world(u64 seed);

}  // namespace heddle::property
