// Whether a configuration is what axes.csv says of its run. The table can be edited, and so can the configurations.
#pragma once

#include <string>

#include "host/cli/sweep/folder.hpp"

namespace heddle {

struct SweepLabels {
  std::string wrong;    // "\n  3: simulation.seed is 3 in 3.toml, axes.csv says 5", a line each; empty: they are right
  std::string unknown;  // why nothing can be said, such as a configuration of another version; a line
};

/// Lays the values of the axes over the configuration as `heddle sweep` did: nothing may change. Names of input files
/// are those of their copies (sweep_inputs.hpp). `where` names the text in messages.
SweepLabels check_labels(const SweepEntry& run, const std::string& config_toml, const std::string& where);

}  // namespace heddle
