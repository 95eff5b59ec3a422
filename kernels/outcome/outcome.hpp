// What a run leaves behind, the same from every engine and from the oracle (MODEL.md, 11).
#pragma once

#include <string>
#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/outcome/event.hpp"
#include "kernels/world/program.hpp"
#include "kernels/world/transport.hpp"

namespace heddle {

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
  TimePs max_waited_ps[kGroups] = {};
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
