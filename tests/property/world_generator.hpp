// Small random worlds for tests, as configurations: one seed, one world.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle::property {

struct RandomWorld {
  u64 seed = 0;
  std::string name;  // of the configuration: "seed_17.toml"
  std::string toml;
  std::vector<std::pair<std::string, std::string>> files;  // (name, content) of its input files
  bool twisted = false;                                    // its tables are to be changed by twist() once built
  bool near_event = false;                                 // fail_at_an_event() is to move a failure
  bool near_end = false;                                   // end_near_its_end() is to move its horizon
  TimePs longest_ps = 0;                                   // time of enough events
};

/// A world of 2 to 36 endpoints and, mostly, up to 20,000 packet hops. It always builds.
RandomWorld random_world(u64 seed);

}  // namespace heddle::property
