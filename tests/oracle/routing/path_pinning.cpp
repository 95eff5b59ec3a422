// The place of the destination among the NICs of its switch names the next hop.
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class PathPinning : public Policy {
  u32 choose(const Site& site) override {
    const Routing& routing = site.world.routing;
    EndpointId dst = site.packet.dst;
    u32 below = 0;  // NICs of the same switch at lower ports
    for (EndpointId e = 0; e < site.world.fabric.endpoints; ++e) {
      below +=
          routing.attach_switch[e] == routing.attach_switch[dst] && routing.attach_port[e] < routing.attach_port[dst];
    }
    return site.next_hops()[below % site.next_hops().size()];
  }
};

}  // namespace

std::unique_ptr<Policy> make_path_pinning() { return std::make_unique<PathPinning>(); }

}  // namespace heddle::oracle
