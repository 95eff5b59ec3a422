// `heddle sweep`: turns one configuration and axes into a folder of resolved configurations, to be run here
// (run.hpp), by a loop or by a Slurm array.
#pragma once

#include <string>
#include <vector>

#include "host/cli/sweep/run.hpp"

namespace heddle {

struct SweepArguments {
  std::string config_path;  // or the folder of a sweep, to run it
  std::vector<std::string> sets;
  std::vector<std::string> axes;  // axes.hpp
  std::string folder;             // empty: the configuration's name with _sweep
  bool force = false;             // write into an existing folder (leftovers.hpp)
  bool run = false;
  SweepRunArguments running;
};

/// Writes NNN.toml for every combination of values, the last axis fastest, runs.txt with their names, one a line,
/// axes.csv with the values of each, and copies of the input files: a folder that can be moved. Everything is checked
/// before anything is written: every run's World, as `heddle check` does (worlds.hpp). With `run` the runs
/// follow; an existing folder with the same sweep is then run, or resumed. Throws ConfigError, InputError: which run,
/// with which values of the axes, and why; IoError: the folder exists or cannot be written.
int command_sweep(const SweepArguments& arguments);

}  // namespace heddle
