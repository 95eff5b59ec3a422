// The order of arrivals at an egress (MODEL.md, 4.3).
#pragma once

#include "kernels/base/hash.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// The rotation at instant t: port p of the switch has rank (p + rotation) mod ports.
HEDDLE_FN u32 tie_rotation(const View& v, u32 node, TimePs t) {
  const u32 ports = v.first_link[node + 1] - v.first_link[node];
  return hash32(v.settings.seed, Stream::tie, v.node_id[node], static_cast<u64>(t)) % ports;
}

/// Reverses [first, last).
HEDDLE_FN void reverse_keys(u64* first, u64* last) {
  for (; first < last && first < --last; ++first) {
    const u64 t = *first;
    *first = *last;
    *last = t;
  }
}

/// Keys (time 28 | port 12 | index 24) of one egress queue, ascending: puts simultaneous keys in the order of their
/// rotated ports, which is a rotation of the ascending order. `first_port` is port 0 of the switch in the team's
/// numbering.
HEDDLE_FN void rotate_ties(const View& v, u32 node, u32 first_port, TimePs from, u64* first, u64* last) {
  u64 together = 0;
  for (const u64* key = first + 1; key < last; ++key) together |= (key[-1] >> 36) == (key[0] >> 36);
  if (together == 0) return;
  while (first < last) {
    u64* end = first + 1;
    while (end < last && (*end >> 36) == (*first >> 36)) ++end;
    if (end - first > 1) {
      const u32 ports = v.first_link[node + 1] - v.first_link[node];
      const u32 rotation = tie_rotation(v, node, from + static_cast<TimePs>(*first >> 36));
      u64* pivot = first;  // the first port that wraps around has the lowest rank
      while (pivot < end && (static_cast<u32>(*pivot >> 24) & 0xfff) - first_port + rotation < ports) ++pivot;
      reverse_keys(first, pivot);
      reverse_keys(pivot, end);
      reverse_keys(first, end);
    }
    first = end;
  }
}

}  // namespace heddle
