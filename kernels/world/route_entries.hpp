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

/// The tables of all switches from one instant on, until there are newer ones.
struct RouteEntries {
  TimePs from_ps = 0;
  /// [link + 1]: entries [first[l], first[l + 1]), in order of groups, are for what comes by the port of egress link l.
  std::vector<u32> first;
  std::vector<RouteEntry> entries;

  /// Of what comes by the port of egress link `own`; kNone: there is no entry.
  u32 port(LinkId own, u32 group) const {
    const auto all = std::span(entries).subspan(first[own], first[own + 1] - first[own]);
    const auto found = std::ranges::lower_bound(all, group, {}, &RouteEntry::group);
    return found == all.end() || found->group != group ? kNone : found->port;
  }
};

/// What the controller foresees. No result hangs on it: it is for people.
struct TrafficPlan {
  std::vector<u64> busy_ps;  // [link] time that its share of the demands takes at its rate; empty: there is no plan
  u64 period_ps = 0;         // the same of the busiest NIC: what links can carry meanwhile is their capacity
  u64 demands = 0;           // that have a way
  u64 over_capacity = 0;     // of these, those for which no way had room
};

}  // namespace heddle
