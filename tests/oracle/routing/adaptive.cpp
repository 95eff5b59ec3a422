// Chooses the next hop with the shortest queue, as far as the ingress queue knows.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "tests/oracle/routing/flowlets.hpp"
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class Adaptive : public Policy {
  u32 choose(const RouteContext& context) override {
    std::span<const u16> hops = context.next_hops();
    u32 port = 0;
    if (context.parameter("adaptive.per") == 0) {
      port = least(context);
    } else {
      Flowlet& flowlet = tables_.of(context, context.parameter("adaptive.entries"));
      TimePs gap_ps = context.parameter("adaptive.gap");
      if (!flowlet.goes_on(context.t, gap_ps)) flowlet.choice = least(context);
      if (std::find(hops.begin(), hops.end(), flowlet.choice) == hops.end())
        flowlet.choice = hops[flowlet.choice % hops.size()];
      port = static_cast<u32>(flowlet.choice);
      flowlet.take(context, gap_ps, port);
    }
    sent_[key(context, port)] += context.packet.frame_bytes();
    return port;
  }

  using Key = std::tuple<u32, u32, TimePs, u32>;
  /// Ingress port, class, epoch, egress port.
  static Key key(const RouteContext& context, u32 port) {
    return {context.ingress_port, context.packet.cls, context.t / context.world.clocks.epoch_ps, port};
  }

  u32 least(const RouteContext& context) {
    std::map<u64, std::vector<u32>> ports_of_grade;
    for (u32 port : context.next_hops()) {
      u64 bytes = context.sampled_bytes(port) + sent_[key(context, port)];
      ports_of_grade[bytes / static_cast<u64>(context.parameter("adaptive.grade"))].push_back(port);
    }
    const std::vector<u32>& ports = ports_of_grade.begin()->second;
    return ports[(context.arrival_chance() * ports.size()) >> 32];
  }

  FlowletTables tables_;
  std::map<Key, u64> sent_;  // frame bytes
};

}  // namespace

std::unique_ptr<Policy> make_adaptive() { return std::make_unique<Adaptive>(); }

}  // namespace heddle::oracle
