// Uses the controller's entry for (ingress port, rack of the destination), else the five-tuple's hash.
#include <algorithm>

#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class TrafficEngineering : public Policy {
  u32 choose(const RouteContext& context) override {
    std::span<const u16> hops = context.next_hops();
    u32 port = entry(context);
    if (std::find(hops.begin(), hops.end(), port) != hops.end()) return port;
    return hops[context.flow_index(false, hops.size())];
  }

  /// Returns kNone where there is no entry.
  static u32 entry(const RouteContext& context) {
    const RouteEntries* latest = nullptr;
    for (const RouteEntries& entries : context.world.routing.controller) {
      if (entries.from_ps <= context.t) latest = &entries;
    }
    if (latest == nullptr) return kNone;
    LinkId own = context.world.fabric.nodes[context.at].first_link + context.ingress_port;
    for (u32 i = latest->first[own]; i < latest->first[own + 1]; ++i) {
      if (latest->entries[i].group == context.world.routing.group_of[context.packet.dst])
        return latest->entries[i].port;
    }
    return kNone;
  }
};

}  // namespace

std::unique_ptr<Policy> make_traffic_engineering() { return std::make_unique<TrafficEngineering>(); }

}  // namespace heddle::oracle
