// What a run leaves behind, the same from every engine and from the oracle (MODEL.md, 11).
#pragma once

#include <string>
#include <vector>

#include "kernels/base/hash.hpp"
#include "kernels/base/types.hpp"
#include "kernels/world/program.hpp"
#include "kernels/world/transport.hpp"

namespace heddle {

/// Kinds of event. All enter the event digest; those made on request (below) only when tracing.
enum class EventKind : u8 {
  depart = 0,  // a packet starts to leave a node: value = packet id
  mark = 1,    // ECN mark set at a switch egress: value = packet id
  pause = 2,
  resume = 3,            // decided at a slot by (node, port, class); port = ingress port; value = 0
  drop = 4,              // value = packet id; cls carries the class, detail the DropCause
  cnp = 5,               // receiver sends a CNP: node = endpoint, value = receiver's qp number
  retransmit = 6,        // a data packet starts again: value = packet id
  timeout = 7,           // RTO: node = endpoint, value = sender's qp number
  message_received = 8,  // last packet in order at the receiver: value = message id
  message_acked = 9,     // last ACK at the sender: value = message id
  rank_entered = 10,     // value = collective id << 32 | rank's index in its job
  rank_finished = 11,
  failure = 12,  // the state of a link changes: node and port where it begins, value = speed << 32 | high bits of loss
  iteration_ended = 13,  // of a GPU's program: node = endpoint, value = task << 32 | iteration
  cts_wait = 14,         // a slice may be sent: node = endpoint, value = how long it has waited for its CTS, ps
  gpu_time = 15,  // a computation of a GPU's program, or its wait for others, is over: node = endpoint, value = how
                  // long it took, ps; cls = the group that it waited for, kNoGroup: it computed; detail = operation
};

inline constexpr u32 kEventKindCount = 16;

/// Whether events of a kind are made only for those who ask for them.
HEDDLE_FN constexpr bool only_on_request(EventKind kind) {
  return kind == EventKind::depart || kind == EventKind::cts_wait || kind == EventKind::gpu_time;
}

enum class DropCause : u8 {
  class_limit = 0,
  headroom_overrun = 1,
  pool_overflow = 2,
  watchdog = 3,
  link_down = 4,  // lost on the way, waiting for a link that goes down, or routed to one that is down
  corrupted = 5,  // bit errors
  no_route = 6,   // failures have left no next hop
};
inline constexpr u32 kDropCauses = 7;

struct Event {
  TimePs time_ps = 0;
  u64 value = 0;
  NodeId node = kNone;  // global id
  u16 port = 0;  // egress port (depart, mark, failure; drops by class_limit, watchdog, link_down, corrupted), ingress
                 // port (pause, resume, other drops), else 0
  u8 cls = 0;
  EventKind kind = EventKind::depart;
  u32 detail = 0;  // DropCause; gpu_time: operation; else 0
};

/// Packet id: destination endpoint 20 | destination qp 16 | kind 4 | psn 24, high to low.
HEDDLE_FN constexpr u64 packet_id(u32 dst, u32 dst_qp, u32 kind, u32 psn) {
  return (static_cast<u64>(dst) << 44) | (static_cast<u64>(dst_qp & 0xffff) << 28) |
         (static_cast<u64>(kind & 15) << 24) | (psn & 0xffffff);
}

/// What one event adds to the event digest (mod 2^64). The seed is not part of it: equal outcomes have equal digests.
HEDDLE_FN constexpr u64 digest_of(const Event& e) {
  return hash64(
      0, Stream::digest,
      (static_cast<u64>(e.kind) << 56) | (static_cast<u64>(e.cls) << 48) | (static_cast<u64>(e.port) << 32) | e.node,
      static_cast<u64>(e.detail), static_cast<u64>(e.time_ps), e.value);
}

struct MessageOutcome {
  TimePs start_ps = -1;                                    // first packet departs; -1: never
  TimePs received_ps = -1;                                 // last byte at the receiver
  TimePs acked_ps = -1;                                    // sender knows it
  u32 retransmitted_packets = 0, ecn_marks = 0, cnps = 0;  // marks as seen by the receiver, CNPs it sent
  u64 received_bytes = 0;                                  // payload received in order until the end
  TimePs posted_ps = -1;                                   // of one that waited for others; -1: it does not, or still
};

/// When it was posted: as the World says, or when what it waited for was done; -1: it still waits.
inline TimePs posted_ps(const Message& message, const MessageOutcome& outcome) {
  return message.waits_for == 0 ? message.post_ps : outcome.posted_ps;
}

struct CollectiveOutcome {
  TimePs first_enter_ps = -1, last_enter_ps = -1;
  TimePs first_finish_ps = -1, last_finish_ps = -1;
  u32 ranks_finished = 0;
};

/// An iteration of a task (MODEL.md, 9.12): when its GPUs began and ended it, and how much time they computed and stood
/// still for communication.
struct IterationOutcome {
  TimePs first_begin_ps = -1, last_begin_ps = -1;
  TimePs first_end_ps = -1, last_end_ps = -1;
  u32 gpus_ended = 0;
  // Of the GPUs that have ended it: sums, and the most of any.
  u64 compute_ps = 0;
  TimePs most_compute_ps = 0;
  u64 waited_ps[kGroups] = {};
  TimePs most_waited_ps[kGroups] = {};
};

/// What a directed link did until the end of the run (MODEL.md, 11.4).
struct LinkOutcome {
  u64 packets = 0;            // whose transmission has started
  u64 sent_bytes = 0;         // wire bytes; of a packet that was still being sent, what was out
  u64 paused_ps = 0;          // summed over the lossless classes
  u64 pauses = 0;             // PAUSEs that its destination has decided for it
  u64 ecn_marks = 0;          // at its egress
  u64 egress_drops = 0;       // at its egress: class limit, watchdog, link down
  u64 ingress_drops = 0;      // of what came by it, at its end: headroom overrun, pool overflow, no route
  u64 losses = 0;             // of what started on it: lost on the way as it failed, or by bit errors
  u64 peak_queue_bytes = 0;   // the most that its egress has held, all classes together; 0 at NICs
  TimePs peak_queue_ps = -1;  // when it first held so much; -1: it never held anything
  bool operator==(const LinkOutcome&) const = default;
};

/// Sums over the run (MODEL.md, 11.2), each event counted by the node where it happens.
struct Totals {
  u64 packet_hops = 0;            // departures, of every kind, at switches and endpoints
  u64 data_packets_received = 0;  // in order
  u64 data_packets_out_of_order = 0, data_packets_duplicate = 0;
  u64 largest_reordering_packets = 0;  // no sum: by how many PSNs a packet was ahead of the expected, at most
  u64 flowlets = 0, flowlet_collisions = 0, path_changes = 0;  // MODEL.md, 7.5
  u64 marks = 0, pauses = 0, resumes = 0, cnps = 0, retransmits = 0, timeouts = 0;
  u64 drops[kDropCauses] = {};  // by DropCause
};

enum class EndReason : u8 {
  complete = 0,  // every message acknowledged, every collective finished, nothing left in the fabric
  horizon = 1,
  stalled = 2,  // work remains but nothing can ever happen
  deadlock = 3,
  qp_failed = 4,  // too many timeouts
  error = 5,
};

struct Outcome {
  EndReason reason = EndReason::error;
  std::string explanation;  // empty when complete
  TimePs end_ps = 0;        // last completion, or the horizon
  u64 event_digest = 0;     // of the events alone
  u64 digest = 0;  // of all that was simulated (result_digest); the oracle, which has no state digest, has none
  Totals totals;
  std::vector<MessageOutcome> messages;
  std::vector<LinkOutcome> links;
  std::vector<CollectiveOutcome> collectives;
  std::vector<IterationOutcome> iterations;  // by task
  std::vector<std::string> warnings;         // pause storms
  std::vector<Event> events;                 // recorded kinds only, ordered by (time, node, port, kind, class, value)
};

}  // namespace heddle
