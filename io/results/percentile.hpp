// The one definition of a percentile in tables.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace heddle {

/// Those that programs get, by name.
inline constexpr std::array<std::pair<const char*, double>, 5> kPercentiles = {
    {{"p50", 50}, {"p95", 95}, {"p99", 99}, {"p99.9", 99.9}, {"max", 100}}};

/// The value below which `percent` of the sorted values lie (nearest rank). 0 when there are none.
template <class T>
T percentile(const std::vector<T>& sorted, double percent) {
  if (sorted.empty()) return T{};
  const double rank = percent / 100 * static_cast<double>(sorted.size());
  auto index = static_cast<std::size_t>(rank);
  if (static_cast<double>(index) < rank) ++index;  // round up
  return sorted[index == 0 ? 0 : (index > sorted.size() ? sorted.size() : index) - 1];
}

}  // namespace heddle
