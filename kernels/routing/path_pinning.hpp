// Path pinning: the destination NIC's place in its rack names the uplink, as in Meta's first 400G zones. With whole
// racks every uplink carries one NIC's traffic; with racks used in part some carry two, others none.
#pragma once

#include <utility>
#include <vector>

#include "kernels/routing/policy.hpp"

namespace heddle {

struct PathPinning : PlainPolicy {
  static constexpr PolicyInfo kInfo = {.name = "path_pinning",
                                       .help = "the destination's downlink in its rack names the next hop",
                                       .source = "Meta SIGCOMM'24, section 5.2",
                                       .steers_flows = true};

  /// Of PolicyView::table.
  enum Table : u32 { kDownlink };  // [global endpoint] its place among the endpoints of its switch, by port

  static void set_up(const World& world, Model& model, PolicyView& own) {
    const Routing& r = world.routing;
    std::vector<std::vector<u32>> place(world.fabric.nodes.size());  // [switch][port]
    for (EndpointId e = 0; e < world.fabric.endpoints; ++e) {
      std::vector<u32>& of_switch = place[r.attach_switch[e]];
      of_switch.resize(world.fabric.nodes[r.attach_switch[e]].ports, 0);
      of_switch[r.attach_port[e]] = 1;
    }
    for (std::vector<u32>& of_switch : place) {
      u32 downlinks = 0;
      for (u32& port : of_switch) downlinks += std::exchange(port, downlinks);
    }
    std::vector<u32> downlink(world.fabric.endpoints);
    for (EndpointId e = 0; e < world.fabric.endpoints; ++e) downlink[e] = place[r.attach_switch[e]][r.attach_port[e]];
    model.arrays.add_plan(model.view, own.table[kDownlink], "downlink of endpoint", downlink);
  }

  HEDDLE_FN static u32 choose(const RouteSite& at) {
    const NextHops hops = at.next_hops();
    return at.port(hops, at.policy().table[kDownlink][at.packet.dst()] % hops.count);
  }
};

}  // namespace heddle
