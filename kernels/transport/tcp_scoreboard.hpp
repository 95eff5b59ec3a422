// What a TCP sender knows of the segments that it has sent: SACKed, lost, retransmitted (MODEL.md, 8.11; RFC 6675).
#pragma once

#include "kernels/state/psn_set.hpp"
#include "kernels/transport/tcp_rack.hpp"
#include "kernels/transport/tcp_window.hpp"

namespace heddle {

/// A view of one connection's sending end. Sender::next is the end of what has been sent, and is never taken back.
struct TcpScoreboard {
  Sender& q;
  TcpSender& c;
  const PsnSet sacked;
  const TcpSettings& tcp;

  /// Segments that are on the way, as far as the sender knows.
  HEDDLE_FN u32 pipe() const { return q.next - q.una - c.sacked - c.missing; }
  HEDDLE_FN bool window_is_open() const { return pipe() < c.cwnd; }
  HEDDLE_FN bool takes_new() const { return q.next - q.una < tcp.window_segments; }

  /// The lowest segment that is lost and not yet retransmitted; there must be one.
  HEDDLE_FN u32 first_missing() const { return sacked.first_not_in_from(c.again); }

  /// An ACK or a SACK of `psn` has come at t.
  HEDDLE_FN TcpNews take(u32 psn, const TcpAnswer& answer, TimePs t) const {
    TcpNews news;
    news.flight = pipe();
    news.ece = answer.ece;
    if (answer.dsack) {
      rack_take_dsack(c, q.una, q.next);
    } else if (answer.sack) {
      if (!psn_before(psn, q.una) && psn_before(psn, q.next) && !sacked.has(psn)) take_sack(psn, news);
    } else if (psn_before(q.una, psn) && !psn_before(q.next, psn)) {
      take_ack(psn, t, news);
    }
    if (!uses_time()) {
      if (c.named == kTcpDuplicates) lose_before(c.highest[kTcpDuplicates - 1]);
    } else if (c.named != 0) {
      await_missing(t);
    }
    return news;
  }

  /// Reacts at t to what an answer has told: control, recovery, growth.
  HEDDLE_FN void react(const TcpNews& news, TimePs t) const {
    tcp_react(tcp, c, q.una, q.next, news);
    const bool recovered = is_recovered(), ends = c.fast && recovered;
    if (ends) {
      c.fast = false;
      c.cwnd = c.ssthresh;
      c.count = 0;
    }
    if (!c.fast && recovered && c.missing > 0) tcp_begin_fast_recovery(tcp, c, q.una, q.next);
    if (c.fast && news.delivered > 0) tcp_reduce(c, pipe(), news.delivered);
    if (!c.fast && !ends) tcp_grow(tcp, c, news, t);
  }

  /// Segment `psn` starts at t: a new one, which is `next`, or one that was missing.
  HEDDLE_FN void start(u32 psn, TimePs t) const {
    const bool is_new = psn == q.next;
    if (is_new && q.una == q.next && q.last_wire_bytes != 0 && t - q.last_start_ps > tcp_present_rto_ps(tcp, c)) {
      c.cwnd = c.cwnd < tcp.initial_window_segments ? c.cwnd : tcp.initial_window_segments;
      c.count = 0;
      c.epoch_ps = kNever;
    }
    if (c.fast) ++c.prr_out;
    if (is_new) {
      if (!c.timing) {
        c.timing = true;
        c.timed_psn = psn;
        c.timed_ps = t;
      }
    } else {
      c.again = psn + 1;
      --c.missing;
      c.timing = false;
    }
  }

  /// A segment with so much payload has started at t; `more`: the next one may follow, as far as the window and the
  /// data allow.
  HEDDLE_FN void pace(u32 payload_bytes, bool more, TimePs t) const {
    const bool begins = c.burst_left == 0;
    if (tcp.pacing) c.pace_ps = (begins ? t : c.pace_ps) + tcp_pace_gap_ps(tcp, c, pipe(), payload_bytes);
    c.burst_left = more ? (begins ? tcp.burst_segments : c.burst_left) - 1 : 0;
  }

  HEDDLE_FN TimePs rto_deadline_ps() const { return q.last_progress_ps + tcp_present_rto_ps(tcp, c); }
  HEDDLE_FN TimePs deadline_ps() const {
    const TimePs rto = rto_deadline_ps();
    return c.reorder_due_ps < rto ? c.reorder_due_ps : rto;
  }

  /// The reordering timer fires at t: what has not come is lost.
  HEDDLE_FN void reorder_time_out(TimePs t) const {
    lose_before(c.reorder_end);
    c.reorder_due_ps = kNever;
    await_missing(t);
    if (c.fast || !is_recovered() || c.missing == 0) return;
    tcp_begin_fast_recovery(tcp, c, q.una, q.next);
    tcp_reduce(c, pipe(), 1);
  }

  /// The retransmission timeout at t.
  HEDDLE_FN void time_out(TimePs t) const {
    if (c.backoff == 0 && !c.fast) tcp_keep_part(tcp, c, q.next - q.una);
    c.cwnd = 1;
    c.count = c.w_max = 0;
    c.epoch_ps = kNever;
    c.lost = c.recover = c.reduced = q.next;
    c.again = q.una;
    c.missing = q.next - q.una - c.sacked;
    c.fast = c.timing = false;
    c.reorder_due_ps = kNever;
    c.burst_left = 0;
    if (c.backoff < kTcpMaxBackoff) ++c.backoff;
    q.last_progress_ps = t;
  }

 private:
  HEDDLE_FN bool is_missing(u32 psn) const { return !psn_before(psn, c.again) && psn_before(psn, c.lost); }
  HEDDLE_FN bool is_recovered() const { return !psn_before(q.una, c.recover); }
  /// Whether losses are told by time; without a sample of a round trip there is none to wait.
  HEDDLE_FN bool uses_time() const { return tcp.loss_detection == TcpLossDetection::rack && c.min_rtt_ps != 0; }

  /// What is not SACKed before `end` is lost.
  HEDDLE_FN void lose_before(u32 end) const {
    if (!psn_before(c.lost, end)) return;
    for (u32 p = c.lost; p != end; ++p) c.missing += !sacked.has(p);
    c.lost = end;
  }

  /// Awaits what is missing before the highest SACKed segment, or takes it for lost, at t.
  HEDDLE_FN void await_missing(TimePs t) const {
    const TimePs wait = rack_wait_ps(c, q.una);
    if (wait == 0) lose_before(c.highest[0]);
    if (wait == 0 || !psn_before(q.una, c.reorder_end)) c.reorder_due_ps = kNever;
    if (wait == 0 || c.reorder_due_ps != kNever) return;
    if (!psn_before(c.lost, c.highest[0]) || !psn_before(sacked.first_not_in_from(c.lost), c.highest[0])) return;
    c.reorder_end = c.highest[0];
    c.reorder_due_ps = t + wait;
  }

  /// A segment has come that was not retransmitted since the last RTO: is it out of order?
  HEDDLE_FN void note_order(u32 psn) const {
    if (c.named != 0 && psn_before(psn, c.highest[0]) && !psn_before(psn, c.again)) c.reordered = true;
  }

  HEDDLE_FN void take_sack(u32 psn, TcpNews& news) const {
    sacked.put(psn);
    ++c.sacked;
    note_order(psn);
    if (is_missing(psn)) --c.missing;
    news.delivered = 1;
    u32 rest = psn;  // goes to its place among the highest
    for (u32 i = 0; i < kTcpDuplicates; ++i) {
      const bool free = i == c.named;
      if (free) ++c.named;
      if (!free && !psn_before(c.highest[i], rest)) continue;
      const u32 lower = c.highest[i];
      c.highest[i] = rest;
      if (free) break;
      rest = lower;
    }
  }

  HEDDLE_FN void take_ack(u32 psn, TimePs t, TcpNews& news) const {
    for (u32 p = q.una; p != psn; ++p) {
      if (sacked.has(p)) {
        sacked.remove(p);
        --c.sacked;
      } else {
        ++news.delivered;
        note_order(p);
        if (is_missing(p)) --c.missing;
      }
    }
    news.acked = news.delivered;
    if (!is_recovered() && !psn_before(psn, c.recover)) rack_note_recovery(c);
    q.una = psn;
    q.last_progress_ps = t;
    q.tries = 0;
    c.backoff = 0;
    c.again = later_psn(c.again, psn);
    c.lost = later_psn(c.lost, psn);
    c.recover = later_psn(c.recover, psn);
    c.reduced = later_psn(c.reduced, psn - 1);
    c.window_end = later_psn(c.window_end, psn);
    c.rack_round = later_psn(c.rack_round, psn);
    for (u32 i = 0; i < c.named; ++i) c.highest[i] = later_psn(c.highest[i], psn - 1);
    if (!c.timing || !psn_before(c.timed_psn, psn)) return;
    c.timing = false;
    tcp_sample(c, t - c.timed_ps);
  }
};

}  // namespace heddle
