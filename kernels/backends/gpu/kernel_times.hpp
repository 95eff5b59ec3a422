// The time of a tick on a GPU by kernel, for heddle-bench --kernel-times.
#pragma once

#include <array>

#include "kernels/base/types.hpp"

namespace heddle {

/// The kernels of a tick, in the order in which they run when they are timed.
enum class TickKernel : u8 { arrivals, ports, settling, small_switches, big_switches, endpoints, clock };
inline constexpr std::array<const char*, 7> kTickKernelNames = {
    "arrivals", "ports", "settling", "small switches", "big switches", "endpoints", "clock"};

/// Sums over ticks.
struct KernelTimes {
  std::array<double, kTickKernelNames.size()> ms = {};
  std::array<bool, kTickKernelNames.size()> launched = {};  // the others have no work in this run
  u64 ticks = 0;
};

/// When not null, a GPU backend that is made afterwards runs one kernel after the other instead of a graph, and adds
/// their times here. Results are the same, but a tick takes longer, because a graph runs switches and endpoints
/// concurrently. Set it only while no other thread makes or advances an Engine.
inline KernelTimes*& timed_kernels() {
  static KernelTimes* times = nullptr;
  return times;
}

}  // namespace heddle
