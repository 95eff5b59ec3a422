// Traffic engineering: entries of a central controller, by ingress port and destination rack, take precedence over
// ECMP. host/scenario/controller solves them.
#pragma once

#include <vector>

#include "kernels/routing/hash.hpp"

namespace heddle {

struct TrafficEngineering : PlainPolicy {
  static constexpr PolicyParameter kParameters[] = {
      {.key = "demands",
       .choices = "workload|measured",
       .help = "workload: the controller knows before the run what will be sent in all; measured: it solves for what "
               "NICs have sent to racks since it solved last",
       .source = "Meta SIGCOMM'24, section 5.2: demands are measured"},
      {.key = "start",
       .quantity = Quantity::time_ps,
       .max = 1e15,
       .help = "when the controller's entries come to the switches; until then they do as ecmp",
       .source = "kernels/MODEL.md, 7.8; Meta's controller runs every 30 s, longer than most runs"},
      {.key = "period",
       .quantity = Quantity::time_ps,
       .max = 1e15,
       .help = "the controller solves at start + k * period: with measured demands each time, else when failures have "
               "changed the routes since; 0 = at once when they change",
       .source = "engineering judgement"}};

  static constexpr PolicyInfo kInfo = {
      .name = "traffic_engineering",
      .help = "a controller's entries by source port and destination rack, else as ecmp",
      .source = "Meta SIGCOMM'24, section 5.2: CSPF, fallback ECMP",
      .parameters = kParameters,
      .steers_flows = true,
      .by_controller = true};

  /// Indices of PolicyView::table.
  enum Table : u32 {
    kFrom,   // [2 * version] low and high half of RouteEntries::from_ps
    kFirst,  // [version * (links of switches + 1) + link] into kGroup and kPort, by the egress link of the ingress port
    kGroup,  // ascending within each range
    kPort
  };
  enum Value : u32 { kDemands, kStart, kPeriod, kVersions };  // kVersions is no setting

  static void set_up(const World& world, Model& model, PolicyView& own) {
    const View& v = model.view;
    std::vector<u32> from, first, group, port;
    for (const RouteEntries& version : world.routing.controller) {
      from.insert(from.end(), {static_cast<u32>(version.from_ps), static_cast<u32>(version.from_ps >> 32)});
      for (u32 n = 0; n < v.switches; ++n) {
        const LinkId global = world.fabric.nodes[v.node_id[n]].first_link;
        for (u32 l = global; l < global + v.first_link[n + 1] - v.first_link[n]; ++l) {
          first.push_back(static_cast<u32>(group.size()));
          for (u32 i = version.first[l]; i < version.first[l + 1]; ++i) {
            group.push_back(version.entries[i].group);
            port.push_back(version.entries[i].port);
          }
        }
      }
      first.push_back(static_cast<u32>(group.size()));
    }
    own.value[kVersions] = static_cast<i64>(world.routing.controller.size());
    model.arrays.add_plan(model.view, own.table[kFrom], "from when entries hold", from);
    model.arrays.add_plan(model.view, own.table[kFirst], "first entry of port", first);
    model.arrays.add_plan(model.view, own.table[kGroup], "groups of entries", group);
    model.arrays.add_plan(model.view, own.table[kPort], "ports of entries", port);
  }

  HEDDLE_FN static u32 choose(const RouteContext& at) {
    const NextHops hops = at.next_hops();
    const u32 port = entry(at, at.policy());
    if (port != kNone && at.offers(hops, port)) return port;
    return at.port(hops, hops.count == 1 ? 0 : flow_index(at, false, hops.count));
  }

 private:
  /// The egress port of the entry; kNone when there is no entry.
  HEDDLE_FN static u32 entry(const RouteContext& at, const PolicyView& own) {
    u32 version = static_cast<u32>(own.value[kVersions]);
    while (version > 0 && from_ps(own, version - 1) > at.t) --version;
    if (version == 0) return kNone;
    const u32* first = own.table[kFirst] + u64{version - 1} * (at.v.first_link[at.v.switches] + 1) + at.own;
    const u32 wanted = at.v.group_of[at.packet.dst()], end = first[1];
    u32 low = first[0], high = end;
    while (low < high) {
      const u32 middle = low + (high - low) / 2;
      if (own.table[kGroup][middle] < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < end && own.table[kGroup][low] == wanted ? own.table[kPort][low] : kNone;
  }

  HEDDLE_FN static TimePs from_ps(const PolicyView& own, u32 version) {
    const u32* from = own.table[kFrom] + 2 * version;
    return static_cast<TimePs>(u64{from[1]} << 32 | from[0]);
  }
};

}  // namespace heddle
