// Path pinning: the destination NIC's place in its rack names the uplink, as in Meta's first 400G zones. With whole
// racks every uplink carries one NIC's traffic; with racks used in part some carry two, others none.
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

  /// Of PolicyView::table.
  enum Table : u32 { kDownlink };  // [global endpoint]

  static void set_up(const World& world, Model& model, PolicyView& own) {
    model.arrays.add_plan(model.view, own.table[kDownlink], "downlink of endpoint", downlinks_of(world));
  }

  HEDDLE_FN static u32 choose(const RouteSite& at) {
    const NextHops hops = at.next_hops();
    return at.port(hops, at.policy().table[kDownlink][at.packet.dst()] % hops.count);
  }
};

}  // namespace heddle
