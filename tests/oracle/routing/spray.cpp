// Chooses a random next hop for every packet, or the next in turn for every ingress queue.
#include <map>
#include <utility>

#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class Spray : public Policy {
  u32 choose(const RouteContext& context) override {
    u64 hops = context.next_hops().size();
    if (context.parameter("spray.by") == 0) return context.next_hops()[(context.arrival_chance() * hops) >> 32];
    u64 turn = turns_[{context.ingress_port, context.packet.cls}]++;
    return context.next_hops()[(((context.ingress_chance() * hops) >> 32) + turn) % hops];
  }

  std::map<std::pair<u32, u32>, u64> turns_;  // next turn by (ingress port, class)
};

}  // namespace

std::unique_ptr<Policy> make_spray() { return std::make_unique<Spray>(); }

}  // namespace heddle::oracle
