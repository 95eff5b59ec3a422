// What a Skipper finds.
#pragma once

#include <algorithm>

#include "kernels/base/types.hpp"

namespace heddle {

/// At an instant: the period before it would be the same again so many times, at least.
struct Repetition {
  TimePs period_ps = 0;
  u64 times = 0;

  /// How often, where no more than `room_ps` may be skipped.
  u64 times_within(TimePs room_ps) const {
    return room_ps < period_ps ? 0 : std::min(times, static_cast<u64>(room_ps / period_ps));
  }
};

}  // namespace heddle
