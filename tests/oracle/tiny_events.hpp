// Durations in the tiny worlds, and readers of a run's events.
#pragma once

#include <vector>

#include "kernels/outcome/outcome.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle::oracle {

inline constexpr u32 kAllKinds = 0x7fff;                     // mask of all event kinds
inline constexpr TimePs kSer = TimePs{kTinyDataWire} * 20;   // a full first packet at 400G
inline constexpr TimePs kSerNext = TimePs{4096 + 102} * 20;  // a full packet within a message
inline constexpr TimePs kAckTime = 106 * 20 + kTinyLambda;   // an ACK over one hop

inline std::vector<Event> events_of(const Outcome& outcome, EventKind kind, NodeId node) {
  std::vector<Event> found;
  for (const Event& e : outcome.events) {
    if (e.kind == kind && e.node == node) found.push_back(e);
  }
  return found;
}

/// The fields of a departure: the packet's destination and kind.
inline u32 destination_of(const Event& e) { return static_cast<u32>(e.value >> 44); }
inline u32 kind_of(const Event& e) { return static_cast<u32>(e.value >> 24) & 15; }

/// Returns data packets that leave `node` by `port`.
inline std::vector<Event> data_departures(const Outcome& outcome, NodeId node, u32 port) {
  std::vector<Event> found;
  for (const Event& e : events_of(outcome, EventKind::depart, node)) {
    if (e.port == port && kind_of(e) == 0) found.push_back(e);
  }
  return found;
}

}  // namespace heddle::oracle
