// The input of every invariant: the state between two ticks, and the positions of each FIFO before the tick.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/hash.hpp"
#include "kernels/state/model.hpp"

namespace heddle {

/// Compares positions or PSNs, which count mod 2^32.
inline bool is_before(u32 a, u32 b) { return static_cast<i32>(a - b) < 0; }

/// A hash of the fields that no node may change in a packet: all but the ingress port and the ECN bit.
inline u64 identity_of(Packet packet) {
  packet.set_ingress_port(0);
  packet.set_ecn();
  const u64 front = static_cast<u64>(packet.w0) << 32 | packet.w1, back = static_cast<u64>(packet.w2) << 32 | packet.w3;
  return mix64(front * 0x9e3779b97f4a7c15ull + back);
}

/// Positions of one FIFO, mod 2^32: [head, sent) is on the wire, [sent, tail) waits.
struct FifoPosition {
  u32 head = 0, sent = 0, tail = 0;
};

/// The tick that has just run, and what it has published.
struct TickDone {
  TimePs from_ps = 0, to_ps = 0;  // the tick covered [from, to)
  TimePs next_ps = 0;             // nothing is due in [to, next); kNever: nothing is due at all
  u32 parity = 0;                 // parity under which the tick has published
};

/// A read-only view of the state after a tick.
struct Reading {
  const Model& model;
  const View& v;
  const TickDone& tick;
  const Tally& tally;                       // sums over the run so far
  const std::vector<FifoPosition>& before;  // [links * classes] when the tick began
  const std::vector<FifoPosition>& now;     // [links * classes]

  /// Calls f(packet, time) for the positions [first, end) of queue q. Positions from before.head on are in the ring.
  template <class F>
  void each_packet(u32 q, u32 first, u32 end, const F& f) const {
    const Ring ring = v.queue[q].ring;
    for (u32 p = first; p != end; ++p) f(v.pool.packet[ring.at(p)], v.pool.time_ps[ring.at(p)]);
  }
  /// The packets of queue q that started in this tick.
  template <class F>
  void each_started(u32 q, const F& f) const {
    each_packet(q, before[q].sent, now[q].sent, f);
  }
  /// The packets of queue q that the node at the other end took in this tick.
  template <class F>
  void each_taken(u32 q, const F& f) const {
    each_packet(q, before[q].head, now[q].head, f);
  }
  bool is_switch(u32 node) const { return node < v.switches; }

  std::string at_port(u32 link, const std::string& what) const {
    const u32 node = v.link_node[link];
    return "invariant violated at port " + std::to_string(link - v.first_link[node]) + " of node " +
           std::to_string(v.node_id[node]) + ": " + what;
  }
  std::string at_node(u32 node, const std::string& what) const {
    return "invariant violated at node " + std::to_string(v.node_id[node]) + ": " + what;
  }
  /// `sender` is an index of Endpoints::sender of local endpoint e.
  std::string at_sender(u32 e, u32 sender, const std::string& what) const {
    return "invariant violated at queue pair " + std::to_string(sender - v.endpoint.first_sender[e]) + " of endpoint " +
           std::to_string(v.endpoint.id[e]) + ": " + what;
  }
  /// `receiver` is an index of Endpoints::receiver of local endpoint e.
  std::string at_receiver(u32 e, u32 receiver, const std::string& what) const {
    return at_node(v.switches + e,
                   "receiving queue pair " + std::to_string(receiver - v.endpoint.first_receiver[e]) + ": " + what);
  }
};

}  // namespace heddle
