// One run of a case: how long the engine takes for what lies between two instants, and on a GPU each of its kernels.
#pragma once

#include <optional>

#include "kernels/backends/gpu/kernel_times.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/bench/cases.hpp"

namespace heddle::bench {

/// How cases are run.
struct Settings {
  EngineOptions options;
  u32 repeat = 3;
  std::optional<double> from_us, end_us;  // none: the case's own
  bool kernel_times = false;              // of a GPU: kernels one after the other, each timed
};

struct Measurement {
  double wall_s = 0, build_s = 0;
  u64 packet_hops = 0, ticks = 0;  // in wall_s
  u64 memory_bytes = 0, entities = 0, pauses = 0, cnps = 0;
  u64 state_digest = 0, digest = 0;  // at the end, from time 0 on
  KernelTimes kernels;               // in wall_s

  double hops_per_s() const { return static_cast<double>(packet_hops) / wall_s; }
};

/// Once.
Measurement measure(const Case& c, const World& world, const Settings& settings);

/// The fastest of several runs: the others were disturbed. Throws std::runtime_error when their digests differ.
Measurement measure_fastest(const Case& c, const World& world, const Settings& settings);

}  // namespace heddle::bench
