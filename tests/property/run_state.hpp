// How far a long run of worlds has come, as a small text file to go on from.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/property/coverage.hpp"

namespace heddle::property {

/// Parts of a run, each in order of its seeds, whatever the number of jobs.
inline constexpr u64 kRunShards = 16;

struct RunState {
  u64 first_seed = 1, worlds = 0;      // seeds [first_seed, first_seed + worlds)
  u64 generator = 0;                   // generator_hash() of the one that the seeds mean worlds for
  std::array<u64, kRunShards> done{};  // worlds finished of each shard
  Coverage coverage;
  std::vector<u64> failed_seeds;
  u64 seconds = 0;  // of all parts of the run together

  /// The seed that comes next in a shard; shard s has first_seed + s, first_seed + s + kRunShards, ...
  u64 next_seed(u64 shard) const { return first_seed + shard + done[shard] * kRunShards; }
  bool finished(u64 shard) const { return next_seed(shard) >= first_seed + worlds; }
};

/// Changes when seeds come to mean other worlds.
u64 generator_hash();

/// Replaces the file as a whole: whenever the program ends, it holds a state. Throws std::runtime_error.
void write_state(const std::filesystem::path& file, const RunState& state);

/// Throws ConfigError when it is no such file, or was written for another generator of worlds.
RunState read_state(const std::filesystem::path& file);

}  // namespace heddle::property
