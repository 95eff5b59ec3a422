// Events in the one order in which they are reported.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "kernels/outcome/event.hpp"

namespace heddle {

/// All that an event says: by time, node, port and kind; the rest makes the order whole.
inline auto order_of(const Event& e) { return std::tie(e.time_ps, e.node, e.port, e.kind, e.cls, e.value, e.detail); }

/// The same order, on a device too.
struct EarlierEvent {
  HEDDLE_FN bool operator()(const Event& a, const Event& b) const {
    if (a.time_ps != b.time_ps) return a.time_ps < b.time_ps;
    if (where(a) != where(b)) return where(a) < where(b);
    if (a.value != b.value) return a.value < b.value;
    return a.detail < b.detail;
  }

 private:
  HEDDLE_FN static u64 where(const Event& e) {
    return static_cast<u64>(e.node) << 32 | static_cast<u64>(e.port) << 16 | static_cast<u64>(e.kind) << 8 | e.cls;
  }
};

inline void sort_events(std::vector<Event>& events) { std::sort(events.begin(), events.end(), EarlierEvent()); }

/// Of events that are in order before `middle` and from there on. Looks only at those that go between each other: what
/// comes later is mostly later.
inline void merge_events(std::vector<Event>& events, std::size_t middle) {
  if (middle == 0 || middle == events.size()) return;
  const auto second = events.begin() + static_cast<std::ptrdiff_t>(middle);
  const auto first = std::upper_bound(events.begin(), second, *second, EarlierEvent());
  std::inplace_merge(first, second, events.end(), EarlierEvent());
}

}  // namespace heddle
