// Progress of a long run of worlds, as a small text file to resume from.
#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include "tests/property/coverage.hpp"

namespace heddle::property {

/// A run is divided into this many shards, each in order of its seeds, whatever the number of jobs.
inline constexpr u64 kRunShards = 16;

struct RunState {
  u64 first_seed = 1, worlds = 0;      // seeds [first_seed, first_seed + worlds)
  u64 generator = 0;                   // generator_hash() of the generator of these seeds
  std::array<u64, kRunShards> done{};  // finished worlds of each shard
  Coverage coverage;
  std::vector<u64> failed_seeds;
  u64 seconds = 0;  // of all parts of the run together

  /// Returns the next seed of a shard; shard s has first_seed + s, first_seed + s + kRunShards, ...
  u64 next_seed(u64 shard) const { return first_seed + shard + done[shard] * kRunShards; }
  bool finished(u64 shard) const { return next_seed(shard) >= first_seed + worlds; }
};

/// A hash that changes when seeds produce other worlds.
u64 generator_hash();

/// Replaces the file atomically: whenever the program ends, the file holds a state. Throws std::runtime_error.
void write_state(const std::filesystem::path& file, const RunState& state);

/// Throws ConfigError when the file is not such a state, or belongs to another generator of worlds.
RunState read_state(const std::filesystem::path& file);

}  // namespace heddle::property
