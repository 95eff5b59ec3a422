// The one definition of a percentile in tables.
#pragma once

#include <cstddef>
#include <vector>

namespace heddle {

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
