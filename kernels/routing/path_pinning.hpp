// Path pinning: the destination NIC's place in its rack selects the uplink, as in Meta's first 400G zones. With whole
// racks every uplink carries one NIC's traffic; with partly used racks some carry two, others none. Where parallel
// cables lead down to a rack, its spines divide the rack's downlinks among them, and each distributes its own share.
#pragma once

#include "kernels/routing/downlinks.hpp"
#include "kernels/routing/policy.hpp"

namespace heddle {

struct PathPinning : PlainPolicy {
  static constexpr PolicyInfo kInfo = {.name = "path_pinning",
                                       .help = "the destination's downlink in its rack names the next hop",
                                       .source = "Meta SIGCOMM'24, section 5.2",
                                       .steers_flows = true,
                                       .by_downlink = true};

  /// Indices of PolicyView::table: [global endpoint]; [local link] the group of the rack to which a spine's link leads
  /// down, or kNone; [group].
  enum Table : u32 { kDownlink, kRackBelow, kSpines };

  static void set_up(const World& world, Model& model, PolicyView& own) {
    const View& v = model.view;
    const std::vector<u32> group_on = groups_by_switch(world);
    std::vector<u32> rack_below(v.first_link[v.switches], kNone);
    for (u32 n = 0; n < v.switches; ++n) {
      const Node& node = world.fabric.nodes[v.node_id[n]];
      for (u32 port = 0; port < node.ports; ++port)
        rack_below[v.first_link[n] + port] = rack_below_link(world, node.first_link + port, group_on);
    }
    model.arrays.add_plan(model.view, own.table[kDownlink], "downlink of address", downlinks_of(world));
    model.arrays.add_plan(model.view, own.table[kRackBelow], "rack below link", rack_below);
    model.arrays.add_plan(model.view, own.table[kSpines], "spines of rack", spines_of_groups(world));
  }

  HEDDLE_FN static u32 choose(const RouteContext& at) {
    const NextHops hops = at.next_hops();
    if (hops.count == 1) return at.port(hops, 0);
    const PolicyView& own = at.policy();
    u32 number = own.table[kDownlink][at.packet.dst()];
    const u32 group = at.v.group_of[at.packet.dst()];
    if (own.table[kRackBelow][at.v.first_link[at.node] + at.port(hops, 0)] == group)
      number /= own.table[kSpines][group];
    return at.port(hops, number % hops.count);
  }
};

}  // namespace heddle
