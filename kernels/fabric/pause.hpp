// The pauses that the sending end of a link obeys (MODEL.md, 5.1 and 6.4).
#pragma once

#include "kernels/state/view.hpp"

namespace heddle {

/// Walks the pause changes of one (link, class) forward in time, on behalf of the link's source.
class PauseTimeline {
 public:
  HEDDLE_FN PauseTimeline(const View& v, u32 link, u32 pfc_index, u32 parity)
      : reader_(v.pause_reader[link * v.settings.pfc_classes + pfc_index]) {
    const u32 other_end = v.egress[link].reverse;  // the receiving node keeps the account under its own egress
    const IngressPort& port = v.ingress[other_end];
    mask_ = port.pause_mask;
    changes_ = v.pause_change + port.pause_first + static_cast<u64>(pfc_index) * (mask_ + 1);
    tail_ = v.pause_tail[parity][link * v.settings.pfc_classes + pfc_index];
  }

  /// Whether the class is not paused and no change is in flight.
  HEDDLE_FN bool idle() const { return reader_.head == tail_ && reader_.paused == 0; }

  HEDDLE_FN bool paused() const { return reader_.paused != 0; }

  /// The earliest instant in [at, to) at which the class may start, else `to`. `at` never decreases.
  HEDDLE_FN TimePs allowed_from(TimePs at, TimePs to) {
    consume_up_to(at);
    if (!reader_.paused) return at;
    bool paused = true;
    for (u32 i = reader_.head; paused;) {
      if (i == tail_ || time_of(i) >= to) return to;
      at = time_of(i);
      while (i != tail_ && time_of(i) <= at) paused = pauses(i++);
    }
    return at;
  }

  /// Whether the pause in force before t still holds at t, for callers that check t ahead of its starts. Changes at t
  /// are not applied yet, because a waiting packet may not start before the end of its pause.
  HEDDLE_FN bool still_paused(TimePs t) {
    consume_up_to(t - 1);
    for (u32 i = reader_.head; i != tail_ && time_of(i) <= t; ++i) {
      if (!pauses(i)) return false;
    }
    return reader_.paused != 0;
  }

  /// Applies every change that takes effect at or before `at`.
  HEDDLE_FN void consume_up_to(TimePs at) {
    while (reader_.head != tail_ && time_of(reader_.head) <= at) {
      const TimePs when = time_of(reader_.head);
      const bool pause = pauses(reader_.head++);
      if (pause == (reader_.paused != 0)) continue;
      if (pause) reader_.since_ps = when;
      if (!pause) reader_.total_ps += static_cast<u64>(when - reader_.since_ps);
      reader_.paused = pause ? kPaused : 0;
    }
  }

  /// The link goes down at t: a pause in force ends. No change decided before t takes effect at t or later.
  HEDDLE_FN void end_at(TimePs t) {
    consume_up_to(t - 1);
    if (reader_.paused) reader_.total_ps += static_cast<u64>(t - reader_.since_ps);
    reader_.paused = 0;
  }

  /// When the next change takes effect, or kNever.
  HEDDLE_FN TimePs next_change_ps() const { return reader_.head == tail_ ? kNever : time_of(reader_.head); }

 private:
  HEDDLE_FN TimePs time_of(u32 i) const { return static_cast<TimePs>(changes_[i & mask_] >> 1); }
  HEDDLE_FN bool pauses(u32 i) const { return changes_[i & mask_] & 1; }

  PauseReader& reader_;
  const u64* changes_;
  u32 mask_;
  u32 tail_;
};

}  // namespace heddle
