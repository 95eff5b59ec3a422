// What selective repeat keeps of queue pairs: few have anything at an instant, and only of these is it saved.
#pragma once

#include "kernels/restart/used_entries.hpp"

namespace heddle {

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
