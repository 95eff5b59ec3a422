// Where the time of a tick goes on a GPU, kernel by kernel: for heddle-bench --kernel-times.
#pragma once

#include <array>

#include "kernels/base/types.hpp"

namespace heddle {

/// The kernels of a tick, as they are launched.
enum class TickKernel : u8 { small_switches, big_switches, endpoints, clock };
inline constexpr std::array<const char*, 4> kTickKernelNames = {"small switches", "big switches", "endpoints", "clock"};

/// Sums over ticks.
struct KernelTimes {
  std::array<double, kTickKernelNames.size()> ms = {};
  u64 ticks = 0;
};

/// Not null: a GPU backend that is made then runs no graph but one kernel after the other, and adds to it. Results are
/// the same, a tick takes longer: in a graph switches and endpoints run side by side. To be set while no other thread
/// makes or advances an Engine.
inline KernelTimes*& timed_kernels() {
  static KernelTimes* times = nullptr;
  return times;
}

}  // namespace heddle
