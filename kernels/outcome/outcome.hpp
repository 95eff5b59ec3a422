// What a run leaves behind, the same from every engine and from the oracle (MODEL.md, 11).
#pragma once

#include <string>
#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/outcome/collective.hpp"
#include "kernels/outcome/event.hpp"
#include "kernels/outcome/link.hpp"
#include "kernels/outcome/message.hpp"

namespace heddle {

/// Sums over the run (MODEL.md, 11.2), each event counted by the node where it happens.
struct Totals {
  u64 packet_hops = 0;            // departures, of every kind, at switches and endpoints
  u64 data_packets_received = 0;  // in order
  u64 data_packets_out_of_order = 0, data_packets_duplicate = 0;
  u64 largest_reordering_packets = 0;  // no sum: by how many PSNs a packet was ahead of the expected, at most
  u64 flowlets = 0, flowlet_collisions = 0, path_changes = 0;  // MODEL.md, 7.5
  u64 detours = 0;                                             // MODEL.md, 7.11
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
