// The fields that a checkpoint holds of every kind of state: all simulated state, and no memory addresses. State that
// is not listed is derived (ready sets, timers, published copies, ring positions) or empty between two ticks.
#pragma once

#include "kernels/state/view.hpp"

namespace heddle {

template <class A>
void fields(A& a, u64& word) {
  a(word);
}

template <class A>
void fields(A& a, PoolState& s) {
  a(s.used_bytes, s.shared_used_bytes, s.epoch, s.free_bytes);
}

template <class A>
void fields(A& a, Drr& s) {
  a(s.pointer);
  for (u32& deficit : s.deficit) a(deficit);
}

template <class A>
void fields(A& a, LinkTally& s) {
  a(s.sent_wire_bytes, s.sent_packets, s.peak_queue_bytes, s.peak_queue_ps, s.marks, s.drops, s.ingress_drops,
    s.pauses);
}

template <class A>
void fields(A& a, Account& s) {
  a(s.occupancy_bytes, s.pausing, s.level_at_pause_bytes);
}

template <class A>
void fields(A& a, Admitted& s) {
  a(s.epoch, s.bytes);
}

/// Without the position in the ring of pause changes.
template <class A>
void fields(A& a, PauseReader& s) {
  a(s.paused, s.since_ps, s.total_ps);
}

/// Without ready sets and timers, which are rebuilt from the senders.
template <class A>
void fields(A& a, Nic& s) {
  a(s.failed_qp, s.failed_ps, s.rto_bound_ps, s.ack_bound_ps, s.acks_delayed, s.outstanding, s.slow.free_ps);
}

template <class A>
void fields(A& a, Sender& s) {
  a(s.una, s.next, s.sent_end, s.una_message, s.una_begin, s.message, s.begin, s.packets, s.bytes, s.last_start_ps,
    s.pace_ps, s.last_progress_ps, s.last_wire_bytes, s.tries, s.ready, s.timed, s.timer_ps);
}

template <class A>
void fields(A& a, LowTimer& s) {
  a(s.rtt_ps, s.timed_ps, s.last_low_ps, s.timed_psn, s.again, s.until, s.timing, s.lows);
}

/// For types that list their fields themselves: the State of a congestion control.
template <class A, class T>
requires requires(A& a, T& s) { s.fields(a); }
void fields(A& a, T& s) { s.fields(a); }

/// What a run says of a message, a collective or an iteration.
template <class A, class T>
requires requires { T::columns(); }
void fields(A& a, T& s) {
  for_each_value([&](const auto&, auto& value) { a(value); }, s);
}

template <class A>
void fields(A& a, Receiver& s) {
  a(s.expected, s.message, s.unacked, s.nak_sent, s.cnp_sent, s.last_cnp_ps);
}

/// Without the FIFOs.
template <class A>
void fields(A& a, Gpu& s) {
  a(s.copy_free_ps, s.egress_free_ps, s.ingress_free_ps, s.proxy_free_ps, s.due_ps[kMemberStart], s.attention,
    s.due_ps[kCtsTimeout], s.cts_outstanding);
}

/// Without job, rank and channel ends, which never change.
template <class A>
void fields(A& a, Member& s) {
  a(s.current, s.released, s.entered, s.launched, s.launch_ps, s.channel_ends_finished, s.send_finished,
    s.recv_finished, s.send_active, s.recv_active, s.send_cursor, s.recv_cursor, s.busy_slots, s.composed_entered,
    s.composed_awaited, s.composed_ended);
}

template <class A>
void fields(A& a, ChannelEndState& s) {
  a(s.loop, s.phase, s.slice, s.active, s.copying, s.finished);
}

template <class A>
void fields(A& a, SendState& s) {
  a(s.step, s.filled, s.posted, s.granted, s.base, s.busy, s.early, s.asked);
  for (u8& left : s.parts_left) a(left);
}

template <class A>
void fields(A& a, CtsWait& s) {
  a(s.since_ps);
}

template <class A>
void fields(A& a, RecvState& s) {
  a(s.step, s.granted, s.freed, s.base, s.in);
  for (u8& left : s.parts_left) a(left);
}

template <class A>
void fields(A& a, CtsStream& s) {
  a(s.una, s.end, s.last_progress_ps, s.tries, s.lows);
}

template <class A>
void fields(A& a, StreamState& s) {
  a(s.done, s.begun, s.target, s.when_ps);
}

template <class A>
void fields(A& a, ProgramState& s) {
  a(s.iteration, s.begun, s.computing, s.compute_ps);
  for (u32 series = 0; series < kBatchSeries; ++series) a(s.posted[series], s.ended[series]);
  for (TimePs& waited : s.waited_ps) a(waited);
}

template <class A>
void fields(A& a, Tally& s) {
  a(s.digest, s.packet_hops, s.data_received, s.out_of_order, s.duplicates, s.largest_reordering, s.flowlets,
    s.flowlet_collisions, s.path_changes, s.detours);
  for (u64& count : s.count) a(count);
  for (u64& drops : s.drops) a(drops);
  a(s.messages_acked, s.ranks_finished, s.iterations_ended, s.last_completion_ps);
}

}  // namespace heddle
