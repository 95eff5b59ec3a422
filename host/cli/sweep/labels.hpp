// Whether a configuration has the values that axes.csv gives for its run. Both can be edited.
#pragma once

#include <string>

#include "host/cli/sweep/folder.hpp"

namespace heddle {

struct SweepLabels {
  std::string wrong;  // "\n  3: simulation.seed is 3 in 3.toml, axes.csv says 5", a line each; empty: all values agree
  std::string unknown;  // why the check is impossible, such as a configuration of another version; a line
};

/// Applies the values of the axes to the configuration as `heddle sweep` did: nothing may change. Names of input files
/// are those of their copies (inputs.hpp). `where` names the text in messages.
SweepLabels check_labels(const SweepEntry& run, const std::string& config_toml, const std::string& where);

}  // namespace heddle
