// Whether the runs of a sweep can be run at all.
#pragma once

#include <set>
#include <string>

#include "host/config/config.hpp"

namespace heddle {

/// Builds the world of every configuration, one at a time, and refuses what `heddle check` would. That takes what check
/// takes: hundredths of a second for a zone, seconds for 24,576 GPUs; so runs that differ in simulation.seed alone are
/// looked at once.
class SweepWorlds {
 public:
  /// Throws ConfigError or InputError: the configuration can be read, but not run.
  void check(const Config& config);

 private:
  std::set<std::string> checked_;  // resolved configurations, all with one seed
};

}  // namespace heddle
