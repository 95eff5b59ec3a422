// Routing as plain tables (MODEL.md, 7).
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/world/fabric.hpp"
#include "kernels/world/route_entries.hpp"
#include "kernels/world/routing_hash.hpp"

namespace heddle {

/// Equal next hops of a switch, in port order: ports [first, first + count) of NextHopTable::ports.
struct NextHops {
  u32 first = 0, count = 0;
};

/// The ports by which every switch forwards to every group of addresses. Switches that forward alike share a row: zones
/// of racks need one row for all RTSWs, one or a few for the CTSWs of each zone and for the ATSWs; a fabric without
/// such symmetry has a row for every switch.
struct NextHopTable {
  u32 groups = 0;           // addresses behind one switch form a group
  std::vector<u32> row_of;  // [switch - endpoints] -> row
  // [row * groups + group] -> index in sets, kNone: no path. The entry of a group attached to the switch itself is
  // never read: Routing::attach_port leads there.
  std::vector<u32> set_of;
  std::vector<NextHops> sets;
  std::vector<u16> ports;

  u32 rows() const { return groups == 0 ? 0 : static_cast<u32>(set_of.size() / groups); }
  /// The set of `row` towards `group`, or kNone.
  u32 set_in_row(u32 row, u32 group) const { return set_of[static_cast<u64>(row) * groups + group]; }
  /// The ports of a set; empty for kNone.
  std::span<const u16> ports_of(u32 set) const {
    return set == kNone ? std::span<const u16>() : std::span(ports).subspan(sets[set].first, sets[set].count);
  }
};

/// Maximum weight of a link under policy weighted. The sum over the ports of a switch (at most 2^12) stays below 2^32.
inline constexpr u32 kMaxLinkWeight = 1'000'000;

/// The same policy for every tier.
inline std::array<std::string, kMaxTiers> all_tiers(const std::string& policy) {
  std::array<std::string, kMaxTiers> every;
  every.fill(policy);
  return every;
}

struct Routing {
  std::array<std::string, kMaxTiers> policy = all_tiers("ecmp");  // [Tier] of a switch (MODEL.md, 7.1)
  std::map<std::string, i64> parameters;  // of policies, "flowlet.gap"; missing ones have the policy's default
  RoutingHash hash;                       // of flows, for all policies that keep flows together
  std::vector<u32> link_weight;           // [link] its share under policy weighted; empty: equal shares
  NodeId first_switch = 0;                // number of endpoints: rows are of nodes from this one on
  std::vector<u32> group_of;              // [address] -> group
  std::vector<NodeId> attach_switch;      // [address] -> the switch that this port of a NIC is attached to
  std::vector<u32> attach_port;           // [address] -> port of that switch
  NextHopTable table;
  u32 detour_class = 0;                  // kDetourClass, or 0: no packet takes a detour
  std::vector<RouteEntries> controller;  // tables of policy traffic_engineering, in order of time
  TrafficPlan plan;
  ControlNetwork control;
  // Later rows of switches, as cables fail and recover (MODEL.md, 7.9): [row_change_first[s], row_change_first[s + 1])
  // are those of switch number s, in order of time; empty: rows do not change.
  struct RowChange {
    TimePs from_ps;
    u32 row;
  };
  std::vector<u32> row_change_first;
  std::vector<RowChange> row_changes;
  // Explicit paths of queue pairs: hops [path_first[p], path_first[p + 1]) of (switch, egress port). Either all queue
  // pairs have one, or path_first is empty.
  struct Hop {
    NodeId node;
    u32 port;
  };
  std::vector<u32> path_first;
  std::vector<Hop> hops;

  bool paths_are_given() const { return !path_first.empty(); }
  /// [group] the switch of its addresses.
  std::vector<NodeId> switches_of_groups() const {
    std::vector<NodeId> switches(table.groups, kNone);
    for (u32 a = 0; a < group_of.size(); ++a) switches[group_of[a]] = attach_switch[a];
    return switches;
  }
  /// [group] the ports of NICs that are attached to its switch, a bit for each. Packets travel between addresses of the
  /// same port, so groups without a common one need no path.
  std::vector<u32> ports_of_groups(u32 nic_ports) const {
    std::vector<u32> ports(table.groups, 0);
    for (u32 a = 0; a < group_of.size(); ++a) ports[group_of[a]] |= 1u << (a % nic_ports);
    return ports;
  }
  const std::string& policy_of(const Node& node) const { return policy[static_cast<u32>(node.tier)]; }
  bool rows_change() const { return !row_change_first.empty(); }
  /// The row of a switch in `table`, before any change.
  u32 row_of(NodeId at) const { return table.row_of[at - first_switch]; }
  /// Row changes of a switch, in order of time.
  std::span<const RowChange> row_changes_of(NodeId at) const {
    if (!rows_change()) return {};
    const u64 s = at - first_switch;
    return std::span(row_changes).subspan(row_change_first[s], row_change_first[s + 1] - row_change_first[s]);
  }
  /// The row for a packet that is routed at `t`.
  u32 row_of(NodeId at, TimePs t) const {
    const auto all = row_changes_of(at);
    const auto later = std::ranges::upper_bound(all, t, {}, &RowChange::from_ps);
    return later == all.begin() ? row_of(at) : std::prev(later)->row;
  }
  /// Egress ports of a switch towards a group of another switch, in port order; empty: no path. Before any change of
  /// rows, or at `t`.
  std::span<const u16> next_hops(NodeId at, u32 group) const {
    return table.ports_of(table.set_in_row(row_of(at), group));
  }
  std::span<const u16> next_hops(NodeId at, u32 group, TimePs t) const {
    return table.ports_of(table.set_in_row(row_of(at, t), group));
  }
};

}  // namespace heddle
