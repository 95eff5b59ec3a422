// `heddle check`: all that can be said about a run before it runs.
#pragma once

#include <string>
#include <vector>

#include "host/check/warnings/warnings.hpp"

namespace heddle {

struct CheckReport {
  std::string text;                   // for the terminal
  std::vector<std::string> warnings;  // may be meant
  std::vector<std::string> refusals;  // cannot work; `check` and `run` end with exit code 2
};

/// Tick and what bounds it, sizes, links, headroom, routes, buffer-dependency cycles; what it takes is expense.hpp's.
CheckReport check_world(const World& world);

/// Only what makes a run impossible, quickly: for `run`.
std::vector<std::string> refusals_of(const World& world);

}  // namespace heddle
