// State of selective repeat for queue pairs: few have any at an instant, and only those are saved.
#pragma once

#include "kernels/restart/used_entries.hpp"

namespace heddle {

/// Retransmission state of `count` senders from `first` on.
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

/// Reception state of `count` receivers from `first` on, whose expected PSNs must be loaded. For a receiver without
/// gaps the highest PSN seen is the one before the expected.
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
