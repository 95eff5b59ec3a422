// A stretch of time that was not simulated, because it repeats what was.
#pragma once

#include "kernels/base/types.hpp"

namespace heddle {

/// [from, to) is so many times the period before `from`.
struct Skip {
  TimePs from_ps = 0, to_ps = 0;
  TimePs period_ps = 0;
  u64 times = 0;
  u64 packet_hops = 0;  // in it
  u64 part = 0;         // of those that touch nothing in common: which it is of
  bool operator==(const Skip&) const = default;
};

}  // namespace heddle
