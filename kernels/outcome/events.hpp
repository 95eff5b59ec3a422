// Events in the one order in which they are reported.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "kernels/outcome/outcome.hpp"

namespace heddle {

/// By time, node, port and kind; the rest makes the order whole.
inline void sort_events(std::vector<Event>& events) {
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.time_ps, a.node, a.port, a.kind, a.cls, a.value, a.detail) <
           std::tie(b.time_ps, b.node, b.port, b.kind, b.cls, b.value, b.detail);
  });
}

}  // namespace heddle
