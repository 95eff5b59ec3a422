// `heddle sweep`: one configuration and axes become a folder of resolved configurations, for a loop or a Slurm array.
#pragma once

#include <string>
#include <vector>

namespace heddle {

struct SweepArguments {
  std::string config_path;
  std::vector<std::string> sets;
  std::vector<std::string> axes;  // key=value,value,... or key=first..last
  std::string folder;             // empty: the configuration's name with _sweep
  bool force = false;             // write into a folder that is there (sweep_leftovers.hpp)
};

/// One parameter and the values it takes.
struct Axis {
  std::string key;
  std::vector<std::string> values;  // as --set takes them
};

/// "dcqcn.enabled=true,false"; "simulation.seed=1..5" counts, both ends included; commas within brackets and quotes
/// belong to a value. Throws ConfigError when it is neither.
Axis axis_of(const std::string& argument);

/// Writes NNN.toml for every combination of values, the last axis fastest, runs.txt with their paths, one a line, and
/// axes.csv with the values of each. Everything is checked before anything is written: every
/// run's world, as `heddle check` does (sweep_worlds.hpp). Throws ConfigError, InputError: which run, with which values
/// of the axes, and why; IoError: the folder is there or cannot be written.
int command_sweep(const SweepArguments& arguments);

}  // namespace heddle
