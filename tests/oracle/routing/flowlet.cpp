// Flowlets by chance.
#include "tests/oracle/routing/flowlets.hpp"
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class FlowletPolicy : public Policy {
  u32 choose(const Site& site) override {
    u64 hops = site.next_hops().size();
    Flowlet& flowlet = tables_.of(site, site.parameter("flowlet.entries"));
    if (!flowlet.goes_on(site.t, site.parameter("flowlet.gap"))) flowlet.choice = site.arrival_chance();
    flowlet.last_ps = site.t;
    return site.next_hops()[(flowlet.choice * hops) >> 32];
  }

  FlowletTables tables_;
};

}  // namespace

std::unique_ptr<Policy> make_flowlet() { return std::make_unique<FlowletPolicy>(); }

}  // namespace heddle::oracle
