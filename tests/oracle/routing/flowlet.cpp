// Flowlets by chance.
#include "tests/oracle/routing/flowlets.hpp"
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class FlowletPolicy : public Policy {
  u32 choose(const Site& site) override {
    u64 hops = site.next_hops().size();
    Flowlet& flowlet = tables_.of(site, site.parameter("flowlet.entries"));
    TimePs gap_ps = site.parameter("flowlet.gap");
    if (!flowlet.goes_on(site.t, gap_ps)) flowlet.choice = site.arrival_chance();
    u32 port = site.next_hops()[(flowlet.choice * hops) >> 32];
    flowlet.take(site, gap_ps, port);
    return port;
  }

  FlowletTables tables_;
};

}  // namespace

std::unique_ptr<Policy> make_flowlet() { return std::make_unique<FlowletPolicy>(); }

}  // namespace heddle::oracle
