// A rough estimate of a run's work: packets times links, and memory.
#pragma once

#include "host/scenario/memory/memory_need.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct Cost {
  u64 payload_bytes = 0;    // payload that crosses the network
  double packet_hops = 0;   // departures of all kinds at all nodes
  MemoryNeed memory;        // without queued packets
  u64 in_flight_bytes = 0;  // descriptors of packets on all wires at full load
  u64 packet_bytes = 0;     // if queues take in all that the workload can send at once, each packet in one of them
  /// Peak memory with all connections used and all packets queued.
  u64 max_bytes() const { return peak_bytes(memory, memory.state_bytes() + memory.on_use_bytes + packet_bytes); }
};

/// An estimate from the tables alone, within tens of percent; contention, retransmissions and pauses are not foreseen.
/// With a horizon the work is at most what the NICs can send before it.
Cost estimate_cost(const World& world);

/// The work of the collectives of all jobs over the network.
struct CollectiveWork {
  double slices = 0, payload_bytes = 0, packet_hops = 0;
};

CollectiveWork collective_work(const World& world);

/// Bytes by transport.
struct TransportBytes {
  double roce = 0, tcp = 0;
};

/// The mean payload and wire bytes of a full packet, where so much payload goes by each transport.
struct MeanPacket {
  double payload_bytes = 0, wire_bytes = 0;
};
MeanPacket mean_packet(const World& world, const TransportBytes& payload);

/// The payload of all messages and collectives over the network.
TransportBytes payload_by_transport(const World& world);

/// The work of the first collective of each job.
CollectiveWork first_collective_work(const World& world);

}  // namespace heddle
