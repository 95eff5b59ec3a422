// Items of many runs, numbered consecutively: run i has the items below ends[i] that no earlier run has.
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// The run, of n, that contains item k.
HEDDLE_FN u32 run_of_item(const u32* ends, u32 n, u32 k) {
  u32 low = 0, high = n - 1;
  while (low < high) {
    const u32 middle = low + (high - low) / 2;
    if (ends[middle] <= k) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace heddle
