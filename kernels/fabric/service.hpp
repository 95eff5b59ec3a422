// The class that an egress serves next: strict classes, then deficit round robin (MODEL.md, 5.2).
#pragma once

#include "kernels/base/bits.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

HEDDLE_FN u32 next_weighted(const Settings& s, u32 p) {
  do {
    p = p + 1 == s.classes ? 0 : p + 1;
  } while (!((s.weighted_mask >> p) & 1));
  return p;
}

/// Deficit round robin when only class c can be served: as serve_deficit(), without reading heads of other classes.
HEDDLE_FN u32 serve_only(const Settings& s, Drr& drr, u32 c, u32 head_bytes) {
  if (drr.pointer != c) {
    for (u32 p = drr.pointer; p != c; p = next_weighted(s, p)) drr.deficit[p] = 0;
    drr.deficit[c] += s.quantum_bytes[c];
    drr.pointer = c;
  }
  while (drr.deficit[c] < head_bytes) {
    const u32 own = drr.deficit[c];
    for (u32& deficit : drr.deficit) deficit = 0;
    drr.deficit[c] = own + s.quantum_bytes[c];
  }
  drr.deficit[c] -= head_bytes;
  return c;
}

/// The weighted class that deficit round robin serves among `eligible` (a mask of weighted classes, not empty).
template <class HeadBytes>
HEDDLE_FN u32 serve_deficit(const Settings& s, Drr& drr, u32 eligible, const HeadBytes& head_bytes) {
  u32 p = drr.pointer;
  for (;;) {
    const bool can = (eligible >> p) & 1;
    if (can && drr.deficit[p] >= head_bytes(p)) {
      drr.deficit[p] -= head_bytes(p);
      drr.pointer = p;
      return p;
    }
    if (!can) drr.deficit[p] = 0;
    p = next_weighted(s, p);
    if ((eligible >> p) & 1) drr.deficit[p] += s.quantum_bytes[p];
  }
}

/// The class served at a start at which the classes of `eligible` (a mask, not empty) have a head that may leave.
template <class Team, class HeadBytes>
HEDDLE_FN u32 choose_class(const Settings& s, Drr* drr, u32 eligible, const HeadBytes& head_bytes) {
  if constexpr (Team::kPlain) return lowest_bit(eligible);  // class 0 is strict
  const u32 strict = eligible & s.strict_mask;
  if (strict != 0) return lowest_bit(strict);
  if (s.weighted_classes == 1) return lowest_bit(eligible);
  const u32 first = lowest_bit(eligible);
  if ((eligible & (eligible - 1)) == 0) return serve_only(s, *drr, first, head_bytes(first));
  return serve_deficit(s, *drr, eligible, head_bytes);
}

}  // namespace heddle
