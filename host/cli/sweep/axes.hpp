// The axes of a sweep: parameters and their values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle {

/// More runs than this are a mistyped range, or more than a Slurm array takes (MaxArraySize is 1,001 by default).
inline constexpr std::size_t kMaxSweepRuns = 10'000;

/// One parameter, or several that change together, and the values.
struct Axis {
  std::vector<std::string> keys;
  std::vector<std::vector<std::string>> values;  // [value][key], as --set takes them
};

/// "dcqcn.enabled=true,false"; ranges, also in a list: "simulation.seed=1..5,7" (range.hpp); "a.x+b.y=18,9" gives
/// both keys the same value, "a.x+b.y=18:16,9:8" each its own. Commas and colons within brackets and quotes belong to a
/// value. Throws ConfigError.
Axis axis_of(const std::string& argument);

/// All axes of a command line. Throws ConfigError when a key is set twice, by two axes or also by --set, when one would
/// replace what another has set, when one names the files that a sweep names itself, and when there are more than
/// kMaxSweepRuns runs.
std::vector<Axis> axes_of(const std::vector<std::string>& arguments, const std::vector<std::string>& sets);

std::size_t runs_of(const std::vector<Axis>& axes);
/// The keys in the order of the axes; the columns of axes.csv.
std::vector<std::string> keys_of(const std::vector<Axis>& axes);
/// The values of run `index`, one per key; the last axis is the fastest.
std::vector<std::string> combination(const std::vector<Axis>& axes, std::size_t index);

}  // namespace heddle
