// The one definition of a percentile in tables.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace heddle {

/// The percentiles that JSON and Python report, by name.
inline constexpr std::array<std::pair<const char*, double>, 5> kPercentiles = {
    {{"p50", 50}, {"p95", 95}, {"p99", 99}, {"p99.9", 99.9}, {"max", 100}}};

/// The place of a percentile among `values` sorted values (at least one), from 1.
inline std::size_t nearest_rank(std::size_t values, double percent) {
  const auto thousandths = static_cast<std::size_t>(std::llround(percent * 1000));
  const std::size_t rank = (values * thousandths + 99'999) / 100'000;  // rounded up
  return std::clamp<std::size_t>(rank, 1, values);
}

/// The value below which `percent`, in whole thousandths, of the sorted values lie (nearest rank). 0 when there are
/// none.
template <class T>
T percentile(const std::vector<T>& sorted, double percent) {
  if (sorted.empty()) return T{};
  return sorted[nearest_rank(sorted.size(), percent) - 1];
}

}  // namespace heddle
