// Events in the one order in which they are reported.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "kernels/outcome/outcome.hpp"

namespace heddle {

/// All that an event says: by time, node, port and kind; the rest makes the order whole.
inline auto order_of(const Event& e) { return std::tie(e.time_ps, e.node, e.port, e.kind, e.cls, e.value, e.detail); }

inline void sort_events(std::vector<Event>& events) {
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return order_of(a) < order_of(b); });
}

}  // namespace heddle
