// The load of every link along the actual paths of the queue pairs, and how much may arrive at it at once.
#pragma once

#include <vector>

#include "host/check/estimates/qp_work.hpp"

namespace heddle {

/// Time of a byte at the link's rate, without the option that truncates times to whole nanoseconds.
double ps_per_byte(const Link& link);

/// The load of one directed link. Every packet is counted once, as if no packet were retransmitted.
struct LinkLoad {
  double wire_bytes = 0;       // over the whole run
  double max_packets = 0;      // data packets that may be in flight over it at once
  double max_wire_bytes = 0;   // wire bytes of these packets
  double max_answers = 0;      // ACKs and CTSs that these may cause
  double max_tcp_answers = 0;  // those of them that are of TCP connections
  double offered_bps = 0;  // rate of arriving data: NICs divide their rates among what they have to send, links theirs
  u32 qps = 0;             // queue pairs whose data take this link
  u32 tcp_qps = 0;         // those of them that are TCP connections
};

/// The round trip of a queue pair's packets of full size and their ACKs.
struct RoundTrip {
  QpId qp = kNone;
  TimePs time_ps = 0;
};

struct LinkLoads {
  std::vector<LinkLoad> of;           // [link]; empty: unknown
  TimePs shortest_round_trip_ps = 0;  // propagation alone, the least of all queue pairs that send
  RoundTrip longest_round_trip;       // the longest of all queue pairs over RoCE, with all queues empty
  RoundTrip longest_tcp_round_trip;   // and of all TCP connections
  bool known() const { return !of.empty(); }
};

/// Whether all queue pairs are in tables, and at most 10 million: more would take seconds to follow. All-to-alls in
/// closed form have no queue pairs in tables.
bool can_follow_qps(const World& world);

/// Loads of all links; unknown where queue pairs cannot be followed.
LinkLoads link_loads(const World& world);

/// How long the fullest link is busy, plus a round trip to it: no run ends before.
TimePs fullest_link_ps(const World& world, const LinkLoads& loads);

/// The queue at a link when all that may be in flight arrives at once: the bytes that do not leave meanwhile.
double queue_wire_bytes(const Link& link, const LinkLoad& load);

}  // namespace heddle
