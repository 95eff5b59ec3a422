// Chooses the path that the queue pair was given.
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class Explicit : public Policy {
  u32 choose(const RouteContext& context) override {
    const Routing& routing = context.world.routing;
    const Qp& qp = context.world.traffic.qps[context.packet.qp];
    u32 path = goes_with_data(context.packet.kind) ? qp.data_path : qp.control_path;
    if (path == kNone) no_way(context.world, context.at, context.packet);
    for (u32 h = routing.path_first[path]; h < routing.path_first[path + 1]; ++h) {
      if (routing.hops[h].node == context.at) return routing.hops[h].port;
    }
    no_way(context.world, context.at, context.packet);
  }
};

}  // namespace

std::unique_ptr<Policy> make_explicit() { return std::make_unique<Explicit>(); }

}  // namespace heddle::oracle
