// What every link will carry along the very paths of the queue pairs, and how much may come to it at once.
#pragma once

#include <vector>

#include "host/check/estimates/qp_work.hpp"

namespace heddle {

/// Time of a byte at the link's rate, without the option that cuts times to whole nanoseconds.
double ps_per_byte(const Link& link);

/// Of one directed link. Every packet is counted once, as if nothing were sent again.
struct LinkLoad {
  double wire_bytes = 0;       // in the whole run
  double most_packets = 0;     // of data, that may be under way over it at once
  double most_wire_bytes = 0;  // theirs
  double most_answers = 0;     // ACKs and CTS, that these may cause
  double offered_bps = 0;      // at which data come: NICs divide their rates among what they have to send, links theirs
  u32 qps = 0;                 // whose data come this way
};

/// Of a queue pair's packets of full size, and their ACKs back.
struct RoundTrip {
  QpId qp = kNone;
  TimePs time_ps = 0;
};

struct LinkLoads {
  std::vector<LinkLoad> of;           // [link]; empty: not known
  TimePs shortest_round_trip_ps = 0;  // propagation alone, of all queue pairs that send
  RoundTrip longest_round_trip;       // of all queue pairs, with all queues empty
  bool known() const { return !of.empty(); }
};

/// Whether all queue pairs stand in tables, and are at most 10 million: more would take seconds to follow. All-to-alls
/// in closed form have none.
bool can_follow_qps(const World& world);

/// Not known where queue pairs cannot be followed.
LinkLoads link_loads(const World& world);

/// How long the fullest link is busy, and a way to it and back: no run ends before.
TimePs fullest_link_ps(const World& world, const LinkLoads& loads);

/// What waits at a link at most when all that may be under way comes at once: what does not leave meanwhile.
double queue_wire_bytes(const Link& link, const LinkLoad& load);

}  // namespace heddle
