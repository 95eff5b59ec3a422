// Tiny worlds with TCP for tests: round numbers, fast timers, and segments that are lost by name.
#pragma once

#include <utility>
#include <vector>

#include "tests/oracle/tiny_events.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle::oracle {

// Segments have 900 B and 1,000 B on the wire, ACKs and SACKs 100 B, at 20 ps/B.
inline constexpr u32 kSegmentBytes = 900;
inline constexpr TimePs kSegSer = 20'000;
inline constexpr TimePs kToReceiver = 2 * (kSegSer + kTinyLambda);  // a segment over both hops: 1,440,000
inline constexpr TimePs kToSender = 2 * (2'000 + kTinyLambda);      // an ACK over both hops: 1,404,000
inline constexpr TimePs kRound = kToReceiver + kToSender;           // 2,844,000
inline constexpr TimePs kAckDelay = 10'000'000;
inline constexpr TimePs kFirstRto = 50'000'000;  // before the first sample

/// A star in which class 2 has TCP.
inline World tcp_star(u32 endpoints, u32 initial_window) {
  World world = star(endpoints);
  world.fabric.classes[2].transport = Transport::tcp;
  world.tcp.segment_bytes = kSegmentBytes;
  world.tcp.overhead_wire_bytes = 100;
  world.tcp.initial_window_segments = initial_window;
  world.tcp.ack_delay_ps = kAckDelay;
  world.tcp.rto_initial_ps = kFirstRto;
  world.tcp.rto_min_ps = 1'000'000;
  return world;
}

/// Adds a connection with its messages (bytes, post time), in order of the source.
inline QpId add_tcp(World& world, EndpointId src, EndpointId dst, const std::vector<std::pair<u64, TimePs>>& messages) {
  const QpId qp = add_qp(world, src, dst, messages);
  world.traffic.qps[qp].traffic_class = 2;
  return qp;
}

/// Loses the packets that start on `link` at these instants, in order of time: for 1 ps every byte has an error.
inline void lose(World& world, LinkId link, const std::vector<TimePs>& starts) {
  Failures& failures = world.failures;
  failures = {};
  failures.first.assign(link + 1, 0);
  for (TimePs t : starts) {
    failures.changes.push_back({t, {kTinySpeed, ~u64{0}}});
    failures.changes.push_back({t + 1, {kTinySpeed, 0}});
  }
  failures.first.resize(world.fabric.links.size() + 1, static_cast<u32>(failures.changes.size()));
}

/// Departures as (time, PSN).
using Starts = std::vector<std::pair<TimePs, u64>>;

/// The packets of a kind that leave an endpoint.
inline Starts starts_of(const Outcome& outcome, NodeId node, PacketKind kind) {
  Starts found;
  for (const Event& e : events_of(outcome, EventKind::depart, node)) {
    if (kind_of(e) == static_cast<u32>(kind)) found.emplace_back(e.time_ps, e.value & 0xffffff);
  }
  return found;
}

inline std::vector<TimePs> times_of(const std::vector<Event>& events) {
  std::vector<TimePs> times;
  for (const Event& e : events) times.push_back(e.time_ps);
  return times;
}

}  // namespace heddle::oracle
