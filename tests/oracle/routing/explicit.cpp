// The path that the queue pair was given.
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class Explicit : public Policy {
  u32 choose(const Site& site) override {
    const Routing& routing = site.world.routing;
    const Qp& qp = site.world.traffic.qps[site.packet.qp];
    u32 path = goes_with_data(site.packet.kind) ? qp.data_path : qp.control_path;
    if (path == kNone) no_way(site.world, site.at, site.packet);
    for (u32 h = routing.path_first[path]; h < routing.path_first[path + 1]; ++h) {
      if (routing.hops[h].node == site.at) return routing.hops[h].port;
    }
    no_way(site.world, site.at, site.packet);
  }
};

}  // namespace

std::unique_ptr<Policy> make_explicit() { return std::make_unique<Explicit>(); }

}  // namespace heddle::oracle
