// A set of PSNs that lie within one window, as a bitmap (MODEL.md, 8.3 and 8.5).
#pragma once

#include "kernels/base/bits.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// A PSN has bit psn % window; the window is a power of two, at least 64.
class PsnSet {
 public:
  HEDDLE_FN PsnSet(u64* words, u32 window) : words_(words), mask_(window - 1) {}

  HEDDLE_FN bool has(u32 psn) const { return (word(psn) >> (psn % 64)) & 1; }
  HEDDLE_FN void put(u32 psn) const { word(psn) |= u64{1} << (psn % 64); }
  HEDDLE_FN void remove(u32 psn) const { word(psn) &= ~(u64{1} << (psn % 64)); }
  /// The first PSN at or after `from`. There must be one.
  HEDDLE_FN u32 first_from(u32 from) const {
    u32 psn = from;
    for (u64 bits = word(psn) >> (psn % 64) << (psn % 64);;) {
      if (bits != 0) return psn - psn % 64 + lowest_bit(bits);
      psn += 64;
      bits = word(psn);
    }
  }
  /// The first PSN at or after `from` that is not in the set. There must be one.
  HEDDLE_FN u32 first_not_in_from(u32 from) const {
    u32 psn = from;
    for (u64 bits = ~word(psn) >> (psn % 64) << (psn % 64);;) {
      if (bits != 0) return psn - psn % 64 + lowest_bit(bits);
      psn += 64;
      bits = ~word(psn);
    }
  }
  HEDDLE_FN bool empty() const {
    u64 any = 0;
    for (u32 w = 0; w <= mask_ / 64; ++w) any |= words_[w];
    return any == 0;
  }
  HEDDLE_FN void clear() const {
    for (u32 w = 0; w <= mask_ / 64; ++w) words_[w] = 0;
  }

 private:
  HEDDLE_FN u64& word(u32 psn) const { return words_[(psn & mask_) / 64]; }

  u64* words_;
  const u32 mask_;
};

/// Set i of `words`, which are those of all.
HEDDLE_FN PsnSet psn_set_of(u64* words, u32 window, u32 i) {
  return {words + static_cast<u64>(i) * (window / 64), window};
}

/// The set of queue pair i with selective repeat, and of TCP connection i.
HEDDLE_FN PsnSet psn_set_of(const View& v, u64* words, u32 i) {
  return psn_set_of(words, v.settings.roce.reorder_window_packets, i);
}
HEDDLE_FN PsnSet tcp_set_of(const View& v, u64* words, u32 i) {
  return psn_set_of(words, v.settings.tcp.window_segments, i);
}

/// PSNs that sender i has to retransmit.
HEDDLE_FN PsnSet repeats_of(const View& v, u32 i) { return psn_set_of(v, v.endpoint.repeat, i); }

/// PSNs that receiver i has received beyond the expected one.
HEDDLE_FN PsnSet placed_of(const View& v, u32 i) { return psn_set_of(v, v.endpoint.placed, i); }

/// The last packets of messages among placed_of(v, i).
HEDDLE_FN PsnSet placed_last_of(const View& v, u32 i) { return psn_set_of(v, v.endpoint.placed_last, i); }

}  // namespace heddle
