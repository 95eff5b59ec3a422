#include "host/check/link_loads.hpp"

#include <algorithm>

#include "host/check/qp_path.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

/// [endpoint] wire bytes that its queue pairs may have under way.
std::vector<double> under_way_of_endpoints(const World& world, const std::vector<QpWork>& work) {
  std::vector<double> bytes(world.fabric.endpoints);
  for (QpId q = 0; q < work.size(); ++q)
    bytes[world.traffic.qps[q].src] += work[q].most_packets * work[q].bytes_of_packet();
  return bytes;
}

void add_data(const std::vector<Hop>& hops, const QpWork& work, double offered_bps, LinkLoads& loads) {
  for (const Hop& hop : hops) {
    LinkLoad& load = loads.of[hop.link];
    load.wire_bytes += hop.share * work.wire_bytes;
    load.most_packets += hop.share * work.most_packets;
    load.most_wire_bytes += hop.share * work.most_packets * work.bytes_of_packet();
    load.offered_bps += hop.share * offered_bps;
    ++load.qps;
  }
}

/// [link] the share of what is offered that a link can carry.
std::vector<double> carried_shares(const World& world, const LinkLoads& loads) {
  std::vector<double> share(loads.of.size(), 1);
  for (LinkId l = 0; l < share.size(); ++l) {
    const double rate_bps = static_cast<double>(bits_per_s_of(world.fabric.links[l].ps_per_byte_q16));
    if (loads.of[l].offered_bps > rate_bps) share[l] = rate_bps / loads.of[l].offered_bps;
  }
  return share;
}

/// What a queue pair still offers to every link of its way, where those before it carry only a share.
class OfferedAlong {
 public:
  OfferedAlong(const Fabric& fabric, const std::vector<double>& carried)
      : fabric_(fabric), carried_(carried), come_(fabric.nodes.size()) {}

  void add(const std::vector<Hop>& hops, double bps, LinkLoads& loads) {
    if (hops.empty()) return;
    come_[fabric_.links[hops.front().link].src] = {1, bps};
    for (const Hop& hop : hops) {
      const Link& link = fabric_.links[hop.link];
      const double offered_bps = come_[link.src].bps * hop.share / come_[link.src].share;
      loads.of[hop.link].offered_bps += offered_bps;
      come_[link.dst].share += hop.share;
      come_[link.dst].bps += offered_bps * carried_[hop.link];
    }
    for (const Hop& hop : hops) come_[fabric_.links[hop.link].src] = come_[fabric_.links[hop.link].dst] = {};
  }

 private:
  struct Come {
    double share = 0, bps = 0;
  };
  const Fabric& fabric_;
  const std::vector<double>& carried_;
  std::vector<Come> come_;  // [node] of the queue pair; all 0 between calls
};

void add_answers(const std::vector<Hop>& hops, const QpWork& work, LinkLoads& loads) {
  for (const Hop& hop : hops) {
    loads.of[hop.link].wire_bytes += hop.share * work.answer_wire_bytes;
    loads.of[hop.link].most_answers += hop.share * work.answers * work.most_packets / work.packets;
  }
}

}  // namespace

double ps_per_byte(const Link& link) { return static_cast<double>(link.ps_per_byte_q16 & ~kWholeNanoseconds) / 65536; }

LinkLoads link_loads(const World& world) {
  constexpr size_t kMostQps = 10'000'000;
  LinkLoads loads;
  if (world.traffic.qps.empty() || count_qps(world) != world.traffic.qps.size()) return loads;
  if (world.traffic.qps.size() > kMostQps) return loads;
  loads.of.resize(world.fabric.links.size());
  const std::vector<QpWork> work = work_of_qps(world);
  const std::vector<double> under_way = under_way_of_endpoints(world, work);
  QpPaths paths(world);
  const auto for_each_busy = [&](const auto& f) {
    for (QpId q = 0; q < work.size(); ++q) {
      const Qp& qp = world.traffic.qps[q];
      const double bytes = work[q].most_packets * work[q].bytes_of_packet();
      if (bytes == 0) continue;
      const Link& nic = world.fabric.links[world.fabric.nodes[qp.src].first_link];
      f(qp, work[q], static_cast<double>(bits_per_s_of(nic.ps_per_byte_q16)) * bytes / under_way[qp.src]);
    }
  };
  TimePs shortest_ps = kNever;
  for_each_busy([&](const Qp& qp, const QpWork& of_qp, double bps) {
    double round_trip_ps = 0;
    const auto pass = [&](const std::vector<Hop>& hops) -> const std::vector<Hop>& {
      for (const Hop& hop : hops)
        round_trip_ps += hop.share * static_cast<double>(world.fabric.links[hop.link].lambda_ps);
      return hops;
    };
    add_data(pass(paths.hops(qp, Way::data)), of_qp, bps, loads);
    add_answers(pass(paths.hops(qp, Way::answers)), of_qp, loads);
    shortest_ps = std::min(shortest_ps, static_cast<TimePs>(round_trip_ps));
  });
  if (shortest_ps < kNever) loads.shortest_round_trip_ps = shortest_ps;
  // what one link holds back does not come to the next
  const std::vector<double> carried = carried_shares(world, loads);
  for (LinkLoad& load : loads.of) load.offered_bps = 0;
  OfferedAlong offered(world.fabric, carried);
  for_each_busy([&](const Qp& qp, const QpWork&, double bps) { offered.add(paths.hops(qp, Way::data), bps, loads); });
  return loads;
}

TimePs fullest_link_ps(const World& world, const LinkLoads& loads) {
  double longest_ps = 0;
  for (LinkId l = 0; l < loads.of.size(); ++l)
    longest_ps = std::max(longest_ps, loads.of[l].wire_bytes * ps_per_byte(world.fabric.links[l]));
  return longest_ps == 0 ? 0 : static_cast<TimePs>(std::min(longest_ps, 4e18)) + loads.shortest_round_trip_ps;
}

double queue_wire_bytes(const Link& link, const LinkLoad& load) {
  const double rate_bps = static_cast<double>(bits_per_s_of(link.ps_per_byte_q16));
  // what a hash or rounding adds to a full link's load is no queue
  return load.offered_bps <= rate_bps * 1.001 ? 0 : load.most_wire_bytes * (1 - rate_bps / load.offered_bps);
}

}  // namespace heddle
