// Bins of a histogram over many orders of magnitude, in integers.
#pragma once

#include "kernels/base/types.hpp"

namespace heddle {

/// Bin 0 holds values of at most zero; then come four bins per power of two: [4, 5) [5, 6) [6, 7) [7, 8) [8, 10) ...,
/// one bin each for 1, 2 and 3. Bins are at most 25 % wide, so percentiles read from them are that exact.
class LogBins {
 public:
  static constexpr u32 kBins = 4 + 4 * 61;  // up to 2^63

  static u32 bin_of(i64 value);
  /// Smallest value of the bin.
  static i64 lower_edge(u32 bin);
};

}  // namespace heddle
