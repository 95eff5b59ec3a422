// `heddle check`: all that can be said about a run before it runs.
#pragma once

#include <string>
#include <vector>

#include "host/check/cost.hpp"
#include "host/check/link_loads.hpp"
#include "host/check/timeouts.hpp"

namespace heddle {

struct CheckReport {
  std::string text;                   // for the terminal
  std::vector<std::string> warnings;  // may be meant
  std::vector<std::string> refusals;  // cannot work; `check` and `run` end with exit code 2
  // of what is not refused
  Cost cost;
  LinkLoads loads;
  bool sends_again = false;  // roce.rto is so short that packets may be sent twice although nothing is lost
};

/// Tick and what bounds it, sizes, memory, links, headroom, routes, buffer-dependency cycles, cost.
CheckReport check_world(const World& world);

/// What may be meant but seldom is, quickly: `run` says it too.
std::vector<std::string> warnings_of(const World& world);

/// Only what makes a run impossible, quickly: for `run`.
std::vector<std::string> refusals_of(const World& world);

}  // namespace heddle
