// Routes that a central controller has installed in the switches (MODEL.md, 7.8).
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// Packets for the endpoints of `group` leave by egress `port`.
struct RouteEntry {
  u32 group = kNone, port = kNone;
};

/// The tables of all switches from one instant until the next RouteEntries.
struct RouteEntries {
  TimePs from_ps = 0;
  /// [link + 1]: entries [first[l], first[l + 1]), by group, are for packets that arrive by the port of egress link l.
  std::vector<u32> first;
  std::vector<RouteEntry> entries;

  /// The egress port for packets that arrive by the port of egress link `own`; kNone: no entry.
  u32 port(LinkId own, u32 group) const {
    const auto all = std::span(entries).subspan(first[own], first[own + 1] - first[own]);
    const auto found = std::ranges::lower_bound(all, group, {}, &RouteEntry::group);
    return found == all.end() || found->group != group ? kNone : found->port;
  }
};

/// The network over which a controller's measurements and routes travel (MODEL.md, 7.8): explicit messages, which are
/// in Traffic. The engine and the oracle know no more of it than of other messages.
struct ControlNetwork {
  TimePs commit_ps = 0;  // plans come into force at multiples of it; 0: there is no network
  TimePs solve_ps = 0;
  u32 periods = 0, switches = 0;
  std::vector<MessageId> routes;  // [period * switches + switch] carries the routes of that period to that switch
};

/// The controller's prediction, for reports only: no result depends on it.
struct TrafficPlan {
  std::vector<u64> busy_ps;  // [link] time to send its share of the demands at its rate; empty: no plan
  u64 period_ps = 0;         // the same for the busiest NIC, the period in which links have capacity
  u64 demands = 0;           // demands with a path
  u64 over_capacity = 0;     // demands among them for which no path had room
};

}  // namespace heddle
