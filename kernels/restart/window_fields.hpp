// What selective repeat keeps of queue pairs: few have anything at an instant, and only of these is it saved.
#pragma once

#include "kernels/state/view.hpp"

namespace heddle {

/// Calls keep(i) for each of `count` queue pairs that `has(i)` when saving, or had when it was saved; 64 at a time,
/// with a word that says which. The others have nothing: loading calls clear(i).
template <class A, class Has, class Keep, class Clear>
void marked(A& a, u32 count, const Has& has, const Keep& keep, const Clear& clear) {
  for (u32 first = 0; first < count; first += 64) {
    const u32 here = count - first < 64 ? count - first : 64;
    u64 mask = 0;
    for (u32 i = 0; !A::kLoads && i < here; ++i) mask |= static_cast<u64>(has(first + i)) << i;
    a(mask);
    for (u32 i = 0; i < here; ++i) {
      if ((mask >> i) & 1) {
        keep(first + i);
      } else if (A::kLoads && has(first + i)) {
        clear(first + i);
      }
    }
  }
}

/// Of `count` senders from the `first` on.
template <class A>
void repeat_fields(A& a, const Endpoints& ep, u32 words, u32 first, u32 count) {
  const auto set = [&](u32 i) { return ep.repeat + u64{first + i} * words; };
  marked(
      a, count, [&](u32 i) { return ep.sender[first + i].repeats; },
      [&](u32 i) {
        ep.sender[first + i].repeats = true;
        for (u32 w = 0; w < words; ++w) a(set(i)[w]);
      },
      [&](u32 i) {
        ep.sender[first + i].repeats = false;
        for (u32 w = 0; w < words; ++w) set(i)[w] = 0;
      });
}

/// Of `count` receivers from the `first` on, whose expected PSNs are loaded. Where nothing waits for a missing packet,
/// the highest PSN seen is the one before the expected.
template <class A>
void placed_fields(A& a, const Endpoints& ep, u32 words, u32 first, u32 count) {
  const auto expected = [&](u32 i) { return ep.receiver[first + i].expected; };
  const auto clear = [&](u32 i) {
    ep.seen_end[first + i] = expected(i);
    for (u64 w = u64{first + i} * words; w < u64{first + i + 1} * words; ++w) ep.placed[w] = ep.placed_last[w] = 0;
  };
  marked(
      a, count, [&](u32 i) { return ep.seen_end[first + i] != expected(i); },
      [&](u32 i) {
        a(ep.seen_end[first + i]);
        for (u64 w = u64{first + i} * words; w < u64{first + i + 1} * words; ++w) a(ep.placed[w], ep.placed_last[w]);
      },
      clear);
}

}  // namespace heddle
