#include "host/scenario/workload/size_cdf.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/error.hpp"

namespace heddle {

SizeCdf size_cdf_of(const PlainSizeCdf& plain) {
  const u64 n = plain.bytes.size();
  if (n < 2 || plain.probability_q32.size() != n) {
    throw ConfigError("generator.size_cdf: a distribution needs at least 2 points of `bytes percentile`");
  }
  for (u64 i = 1; i < n; ++i) {
    if (plain.bytes[i] < plain.bytes[i - 1] || plain.probability_q32[i] < plain.probability_q32[i - 1]) {
      throw ConfigError(
          fmt::format("generator.size_cdf: point {} is below the one before it; sizes and percentiles "
                      "must ascend",
                      i + 1));
    }
  }
  if (plain.probability_q32.back() != u64{1} << 32) {
    throw ConfigError("generator.size_cdf: the last percentile must be 100, or some draws would have no size");
  }
  return {plain.bytes, plain.probability_q32};
}

u64 size_at(const SizeCdf& cdf, u32 u_q32) {
  const auto above = std::upper_bound(cdf.probability_q32.begin(), cdf.probability_q32.end(), u64{u_q32});
  const u64 i = static_cast<u64>(above - cdf.probability_q32.begin());  // the last point is 2^32 > u: i is in range
  if (i == 0) return std::max<u64>(cdf.bytes.front(), 1);
  const u64 p0 = cdf.probability_q32[i - 1], p1 = cdf.probability_q32[i];
  const unsigned __int128 rise = static_cast<unsigned __int128>(cdf.bytes[i] - cdf.bytes[i - 1]) * (u_q32 - p0);
  return std::max<u64>(cdf.bytes[i - 1] + static_cast<u64>(rise / (p1 - p0)), 1);
}

u64 mean_bytes(const SizeCdf& cdf) {
  unsigned __int128 sum = static_cast<unsigned __int128>(cdf.bytes.front()) * cdf.probability_q32.front() * 2;
  for (u64 i = 1; i < cdf.bytes.size(); ++i) {
    const u64 weight = cdf.probability_q32[i] - cdf.probability_q32[i - 1];
    sum += (static_cast<unsigned __int128>(cdf.bytes[i]) + cdf.bytes[i - 1]) * weight;
  }
  return std::max<u64>(static_cast<u64>(sum >> 33), 1);
}

}  // namespace heddle
