// What a Skipper finds.
#pragma once

#include "kernels/base/types.hpp"

namespace heddle {

/// At an instant: the period before it would be the same again so many times, at least.
struct Repetition {
  TimePs period_ps = 0;
  u64 times = 0;
};

}  // namespace heddle
