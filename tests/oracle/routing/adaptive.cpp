// Chooses the next hop with the shortest queue, as far as the ingress queue knows, or a detour where even that one is
// much longer.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "tests/oracle/routing/detours.hpp"
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
      if (!is_among(flowlet.choice, hops) && !is_among(flowlet.choice, detours_of(context)))
        flowlet.choice = hops[flowlet.choice % hops.size()];
      port = static_cast<u32>(flowlet.choice);
      flowlet.take(context, gap_ps, port);
    }
    sent_[key(context, port)] += context.packet.frame_bytes;
    if (context.totals != nullptr && is_among(port, detours_of(context))) ++context.totals->detours;
    return port;
  }

  using Key = std::tuple<u32, u32, TimePs, u32>;
  /// Ingress port, class, epoch, egress port.
  static Key key(const RouteContext& context, u32 port) {
    return {context.ingress_port, context.packet.cls, context.t / context.world.clocks.epoch_ps, port};
  }

  template <class Ports>
  static bool is_among(u64 port, const Ports& ports) {
    return std::find(ports.begin(), ports.end(), port) != ports.end();
  }

  /// {grade: the ports that have it, in order}
  using Grades = std::map<u64, std::vector<u32>>;

  template <class Ports>
  Grades grades_of(const RouteContext& context, const Ports& ports) {
    Grades grades;
    for (u32 port : ports) {
      u64 bytes = context.sampled_bytes(port) + sent_[key(context, port)];
      grades[bytes / static_cast<u64>(context.parameter("adaptive.grade"))].push_back(port);
    }
    return grades;
  }

  u32 least(const RouteContext& context) {
    Grades direct = grades_of(context, context.next_hops()), detours = grades_of(context, detours_of(context));
    bool shorter = false;
    if (!detours.empty()) {
      i64 more = context.parameter("adaptive.detour_threshold") / context.parameter("adaptive.grade");
      shorter = direct.begin()->first > 2 * detours.begin()->first + static_cast<u64>(more);
    }
    const std::vector<u32>& ports = shorter ? detours.begin()->second : direct.begin()->second;
    return ports[(context.arrival_chance() * ports.size()) >> 32];
  }

  FlowletTables tables_;
  std::map<Key, u64> sent_;  // frame bytes
};

}  // namespace

std::unique_ptr<Policy> make_adaptive() { return std::make_unique<Adaptive>(); }

}  // namespace heddle::oracle
