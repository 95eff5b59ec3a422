#include "io/results/log_bins.hpp"

namespace heddle {

u32 LogBins::bin_of(i64 value) {
  if (value <= 0) return 0;
  if (value < 4) return static_cast<u32>(value);
  const u32 log2 = 63 - static_cast<u32>(__builtin_clzll(static_cast<u64>(value)));
  const u32 quarter = static_cast<u32>(value >> (log2 - 2)) & 3;
  return 4 + (log2 - 2) * 4 + quarter;
}

i64 LogBins::lower_edge(u32 bin) {
  if (bin < 4) return bin;
  const u32 log2 = (bin - 4) / 4 + 2, quarter = (bin - 4) % 4;
  return static_cast<i64>(4 + quarter) << (log2 - 2);
}

}  // namespace heddle
