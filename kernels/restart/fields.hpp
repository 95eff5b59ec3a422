// What a checkpoint holds of every kind of state: all that is simulated, nothing of where it lies in memory. What is
// not listed is derived (ready sets, timers, published copies, ring positions) or empty between two ticks. instant(),
// counter() and so on (tags.hpp) say what becomes of a field while the fabric repeats itself.
#pragma once

#include "kernels/restart/tags.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

template <class A>
void fields(A& a, u64& word) {
  a(word);
}

template <class A>
void fields(A& a, PoolState& s) {
  a(s.used_bytes, s.shared_used_bytes, sample(s.epoch), sample(s.free_bytes));
}

template <class A>
void fields(A& a, Drr& s) {
  a(s.pointer);
  for (u32& deficit : s.deficit) a(deficit);
}

template <class A>
void fields(A& a, LinkTally& s) {
  a(counter(s.sent_wire_bytes), counter(s.sent_packets), s.peak_queue_bytes, s.peak_queue_ps, s.marks, s.drops,
    s.ingress_drops, s.pauses);
}

template <class A>
void fields(A& a, Account& s) {
  a(s.occupancy_bytes, s.pausing, s.level_at_pause_bytes);
}

template <class A>
void fields(A& a, Admitted& s) {
  a(s.epoch, s.bytes);
}

/// Without the position in the ring of changes.
template <class A>
void fields(A& a, PauseReader& s) {
  a(s.paused, s.since_ps, s.total_ps);
}

/// Without ready set and timers, which follow from the senders.
template <class A>
void fields(A& a, Nic& s) {
  a(s.last_served, s.failed_qp, s.failed_ps, bound(s.rto_bound_ps), s.outstanding, instant(s.slow.free_ps));
}

template <class A>
void fields(A& a, Sender& s) {
  a(counter(s.una), counter(s.next), counter(s.sent_end), counter(s.una_message), counter(s.una_begin),
    counter(s.message), counter(s.begin), s.packets, s.bytes, instant(s.last_start_ps), instant(s.pace_ps),
    instant(s.last_progress_ps), s.last_wire_bytes, s.tries, s.ready, s.timed, instant(s.timer_ps));
}

/// Nothing is skipped with selective repeat, so no field says how it moves.
template <class A>
void fields(A& a, LowTimer& s) {
  a(s.rtt_ps, s.timed_ps, s.last_low_ps, s.timed_psn, s.again, s.until, s.timing, s.lows);
}

/// What lists its fields itself: the State of a congestion control.
template <class A, class T>
requires requires(A& a, T& s) { s.fields(a); }
void fields(A& a, T& s) { s.fields(a); }

template <class A>
void fields(A& a, Receiver& s) {
  a(counter(s.expected), counter(s.message), s.unacked, s.nak_sent, s.cnp_sent, s.last_cnp_ps);
}

/// Without the FIFOs.
template <class A>
void fields(A& a, Gpu& s) {
  a(instant(s.copy_free_ps), instant(s.egress_free_ps), instant(s.ingress_free_ps), instant(s.due_ps[kMemberStart]),
    s.attention, bound(s.due_ps[kCtsTimeout]), s.cts_outstanding);
}

/// Without job, rank and lanes, which never change.
template <class A>
void fields(A& a, Member& s) {
  a(s.current, s.released, s.entered, s.launched, instant(s.launch_ps), s.lanes_finished, s.send_finished,
    s.recv_finished, s.send_active, s.recv_active, s.send_cursor, s.recv_cursor, s.busy_slots, s.composed_entered,
    s.composed_awaited, s.composed_ended);
}

template <class A>
void fields(A& a, LaneState& s) {
  a(counter(s.loop), counter(s.phase), s.slice, s.active, s.copying, s.finished);
}

template <class A>
void fields(A& a, SendState& s) {
  a(s.step, slice(s.filled), slice(s.posted), slice(s.granted), s.base, s.busy, s.early, s.asked);
  for (u8& left : s.parts_left) a(left);
}

template <class A>
void fields(A& a, CtsWait& s) {
  a(s.since_ps);
}

template <class A>
void fields(A& a, RecvState& s) {
  a(s.step, slice(s.granted), slice(s.freed), s.base, s.in);
  for (u8& left : s.parts_left) a(left);
}

template <class A>
void fields(A& a, CtsStream& s) {
  a(counter(s.una), counter(s.end), instant(s.last_progress_ps), s.tries, s.lows);
}

template <class A>
void fields(A& a, CollectiveLog& s) {
  a(s.first_enter_ps, s.last_enter_ps, s.first_finish_ps, s.last_finish_ps, s.finished);
}

template <class A>
void fields(A& a, StreamState& s) {
  a(s.done, s.begun, s.target, instant(s.when_ps));
}

template <class A>
void fields(A& a, ProgramState& s) {
  a(s.iteration, s.begun, s.computing, s.compute_ps);
  for (TimePs& waited : s.waited_ps) a(waited);
}

template <class A>
void fields(A& a, IterationLog& s) {
  a(s.first_begin_ps, s.last_begin_ps, s.first_end_ps, s.last_end_ps, s.ended, s.compute_ps, s.most_compute_ps);
  for (u64& waited : s.waited_ps) a(waited);
  for (TimePs& waited : s.most_waited_ps) a(waited);
}

template <class A>
void fields(A& a, Tally& s) {
  a(s.digest, counter(s.packet_hops), counter(s.data_received), s.out_of_order, s.duplicates, s.largest_reordering,
    s.flowlets, s.flowlet_collisions, s.path_changes);
  for (u64& count : s.count) a(count);
  for (u64& drops : s.drops) a(drops);
  a(s.messages_acked, s.ranks_finished, s.iterations_ended, s.last_completion_ps);
}

}  // namespace heddle
