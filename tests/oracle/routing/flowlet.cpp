// Chooses a random next hop for each flowlet.
#include "tests/oracle/routing/flowlets.hpp"
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class FlowletPolicy : public Policy {
  u32 choose(const RouteContext& context) override {
    u64 hops = context.next_hops().size();
    Flowlet& flowlet = tables_.of(context, context.parameter("flowlet.entries"));
    TimePs gap_ps = context.parameter("flowlet.gap");
    if (!flowlet.goes_on(context.t, gap_ps)) flowlet.choice = context.arrival_chance();
    u32 port = context.next_hops()[(flowlet.choice * hops) >> 32];
    flowlet.take(context, gap_ps, port);
    return port;
  }

  FlowletTables tables_;
};

}  // namespace

std::unique_ptr<Policy> make_flowlet() { return std::make_unique<FlowletPolicy>(); }

}  // namespace heddle::oracle
