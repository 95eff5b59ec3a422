// How much work a run will be, roughly: packets times links, and memory.
#pragma once

#include "kernels/world.hpp"

namespace heddle {

struct Cost {
  u64 payload_bytes = 0;    // that cross the network
  double packet_hops = 0;   // departures of all kinds at all nodes
  u64 table_bytes = 0;      // the World itself
  u64 state_bytes = 0;      // of links, QPs, lanes; without queued packets
  u64 on_use_bytes = 0;     // more of it, of connections in no table: taken as each is used for the first time
  u64 in_flight_bytes = 0;  // descriptors of packets on all wires at full load
};

/// From the tables alone, within tens of percent; contention, retransmissions and pauses are not foreseen. With a
/// horizon the work is at most what the NICs can send before it.
Cost estimate_cost(const World& world);

}  // namespace heddle
