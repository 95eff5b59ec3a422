// Chooses by the five-tuple's hash, in proportion to weights.
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class Weighted : public Policy {
  u32 choose(const RouteContext& context) override {
    const u32 first = context.world.fabric.nodes[context.at].first_link;
    const std::vector<u32>& weights = context.world.routing.link_weight;
    std::vector<u64> up_to;  // sum of the weights of this next hop and all before it
    u64 sum = 0;
    for (u32 port : context.next_hops()) up_to.push_back(sum += weights.empty() ? 1 : weights[first + port]);
    if (sum == 0) return context.next_hops()[context.flow_index(false, up_to.size())];
    u64 drawn = context.flow_index(false, sum);
    u32 hop = 0;
    while (up_to[hop] <= drawn) ++hop;
    return context.next_hops()[hop];
  }
};

}  // namespace

std::unique_ptr<Policy> make_weighted() { return std::make_unique<Weighted>(); }

}  // namespace heddle::oracle
