// The next hop whose queue is least, as far as the ingress queue knows.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "tests/oracle/routing/flowlets.hpp"
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class Adaptive : public Policy {
  u32 choose(const Site& site) override {
    std::span<const u16> hops = site.next_hops();
    u32 port = 0;
    if (site.parameter("adaptive.per") == 0) {
      port = least(site);
    } else {
      Flowlet& flowlet = tables_.of(site, site.parameter("adaptive.entries"));
      TimePs gap_ps = site.parameter("adaptive.gap");
      if (!flowlet.goes_on(site.t, gap_ps)) flowlet.choice = least(site);
      if (std::find(hops.begin(), hops.end(), flowlet.choice) == hops.end())
        flowlet.choice = hops[flowlet.choice % hops.size()];
      port = static_cast<u32>(flowlet.choice);
      flowlet.take(site, gap_ps, port);
    }
    sent_[key(site, port)] += site.packet.frame_bytes();
    return port;
  }

  using Key = std::tuple<u32, u32, TimePs, u32>;
  /// Ingress port, class, epoch, egress port.
  static Key key(const Site& site, u32 port) {
    return {site.ingress_port, site.packet.cls, site.t / site.world.clocks.epoch_ps, port};
  }

  u32 least(const Site& site) {
    std::map<u64, std::vector<u32>> ports_of_grade;
    for (u32 port : site.next_hops()) {
      u64 bytes = site.sampled_bytes(port) + sent_[key(site, port)];
      ports_of_grade[bytes / static_cast<u64>(site.parameter("adaptive.grade"))].push_back(port);
    }
    const std::vector<u32>& ports = ports_of_grade.begin()->second;
    return ports[(site.arrival_chance() * ports.size()) >> 32];
  }

  FlowletTables tables_;
  std::map<Key, u64> sent_;  // frame bytes
};

}  // namespace

std::unique_ptr<Policy> make_adaptive() { return std::make_unique<Adaptive>(); }

}  // namespace heddle::oracle
