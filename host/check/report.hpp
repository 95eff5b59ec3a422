// `heddle check`: the report about a run before it starts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/check/warnings/warnings.hpp"
#include "host/scenario/workload/job_options.hpp"

namespace heddle {

struct CheckReport {
  std::string text;                   // for the terminal
  std::vector<std::string> warnings;  // problems that may be intended
  std::vector<std::string> refusals;  // problems that make the run impossible; `check` and `run` end with exit code 2
};

/// Tick and its bound, sizes, links, headroom, routes, cycles of buffer dependences; expense.hpp has the cost. `jobs`,
/// the configuration's, are those whose choices of algorithms are printed.
CheckReport check_world(const World& world, std::span<const JobOptions> jobs = {});

/// Only the refusals, found quickly: for `run`.
std::vector<std::string> refusals_of(const World& world);

}  // namespace heddle
