#include "host/check/estimates/link_loads.hpp"

#include <algorithm>

#include "host/check/estimates/qp_path.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

/// The rate of each queue pair: a NIC divides its rate among them by the bytes that they may have in flight.
class OfferedRates {
 public:
  OfferedRates(const World& world, const std::vector<QpWork>& work)
      : world_(world), work_(work), bytes_of_endpoint_(world.fabric.endpoints) {
    for (QpId q = 0; q < work.size(); ++q) bytes_of_endpoint_[world.traffic.qps[q].src] += under_way_bytes(q);
  }

  /// The rate offered by a queue pair; 0: it sends nothing.
  double bps(QpId q) const {
    const double bytes = under_way_bytes(q);
    if (bytes == 0) return 0;
    const EndpointId src = world_.traffic.qps[q].src;
    return 8e12 / nic_ps_per_byte(world_.fabric, src) * bytes / bytes_of_endpoint_[src];
  }

 private:
  double under_way_bytes(QpId q) const { return work_[q].max_packets * work_[q].bytes_of_packet(); }

  const World& world_;
  const std::vector<QpWork>& work_;
  std::vector<double> bytes_of_endpoint_;
};

/// The packets that a run with a horizon does not see: those with a long path to a link, or that wait before it.
class Horizon {
 public:
  explicit Horizon(const World& world)
      : world_(world), come_ps_(world.fabric.nodes.size()), sent_(world.fabric.links.size()) {}

  /// To be called for the hops of a path in order: how many of `packets` that the NIC sends until the horizon arrive at
  /// this hop, if no queue delays them.
  double packets_at(const Hop& hop, double packets) {
    const Link& link = world_.fabric.links[hop.link];
    const double after_ps = come_ps_[link.src];
    come_ps_[link.dst] = after_ps + static_cast<double>(link.lambda_ps);
    if (none()) return packets;
    sent_[hop.link] += packets;
    return packets * std::max(0.0, 1 - after_ps / static_cast<double>(world_.clocks.horizon_ps));
  }
  /// Resets the arrival times before the next path.
  void forget(const std::vector<Hop>& hops) {
    for (const Hop& hop : hops) come_ps_[world_.fabric.links[hop.link].dst] = 0;
  }
  /// Limits each link's packets to what the links before it carry; called once their loads are known.
  void hold_back(LinkLoads& loads) const {
    for (LinkId l = 0; l < sent_.size() && !none(); ++l) {
      LinkLoad& load = loads.of[l];
      if (load.max_packets == 0) continue;
      const double open_ps = static_cast<double>(world_.clocks.horizon_ps) * load.max_packets / sent_[l];
      const double part = std::min(1.0, load.offered_bps / 8e12 * open_ps / load.max_wire_bytes);
      load.max_packets *= part;
      load.max_wire_bytes *= part;
    }
  }

 private:
  bool none() const { return world_.clocks.horizon_ps >= kNever; }

  const World& world_;
  std::vector<double> come_ps_;  // [node] when the first packet of the path arrives; 0: not on this path
  std::vector<double> sent_;     // [link] packets that NICs send towards it until the horizon
};

void add_data(const std::vector<Hop>& hops, const QpWork& work, double offered_bps, Horizon& horizon,
              LinkLoads& loads) {
  for (const Hop& hop : hops) {
    LinkLoad& load = loads.of[hop.link];
    const double packets = horizon.packets_at(hop, hop.share * work.max_packets);
    load.wire_bytes += hop.share * work.wire_bytes;
    load.max_packets += packets;
    load.max_wire_bytes += packets * work.bytes_of_packet();
    load.offered_bps += hop.share * offered_bps;
    ++load.qps;
  }
  horizon.forget(hops);
}

/// [link] the share of its offered load that it can carry.
std::vector<double> carried_shares(const World& world, const LinkLoads& loads) {
  std::vector<double> share(loads.of.size(), 1);
  for (LinkId l = 0; l < share.size(); ++l) {
    const double rate_bps = static_cast<double>(bits_per_s_of(world.fabric.links[l].ps_per_byte_q16));
    if (loads.of[l].offered_bps > rate_bps) share[l] = rate_bps / loads.of[l].offered_bps;
  }
  return share;
}

/// Adds `answers` packets of a queue pair; the share of them in flight at once is that of its data packets.
void add_answers(const std::vector<Hop>& hops, const QpWork& work, double answers, double wire_bytes, bool tcp,
                 LinkLoads& loads) {
  for (const Hop& hop : hops) {
    const double at_once = hop.share * answers * work.max_packets / work.packets;
    loads.of[hop.link].wire_bytes += hop.share * wire_bytes;
    loads.of[hop.link].max_answers += at_once;
    loads.of[hop.link].max_tcp_answers += tcp ? at_once : 0;
  }
}

/// The load that a queue pair still offers to every link of its path, where earlier links carry only a share of it.
class OfferedAlong {
 public:
  /// `carried`: [link] the share of its offered load that it carries.
  OfferedAlong(const Fabric& fabric, std::vector<double> carried)
      : fabric_(fabric), carried_(std::move(carried)), come_(fabric.nodes.size()) {}

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
  std::vector<double> carried_;
  std::vector<Come> come_;  // [node] load of the current queue pair; all 0 between calls
};

/// The round trip of a queue pair's packets and ACKs, with all queues empty; the mean where they take several paths.
struct TripTime {
  double propagation_ps = 0, serialization_ps = 0;

  void add(const Fabric& fabric, const std::vector<Hop>& hops, u32 wire_bytes) {
    for (const Hop& hop : hops) {
      const Link& link = fabric.links[hop.link];
      propagation_ps += hop.share * static_cast<double>(link.lambda_ps);
      serialization_ps += hop.share * static_cast<double>(ser_ps(wire_bytes, link.ps_per_byte_q16));
    }
  }
};

/// Follows the path of every queue pair in both directions, once.
void follow_both_ways(const World& world, const std::vector<QpWork>& work, const OfferedRates& offered, QpPaths& paths,
                      Horizon& horizon, LinkLoads& loads) {
  TimePs shortest_ps = kNever;
  for (QpId q = 0; q < work.size(); ++q) {
    const Qp& qp = world.traffic.qps[q];
    const Framing framing = framing_of(world, qp.traffic_class);
    const bool tcp = is_tcp(world, qp.traffic_class);
    const double bps = offered.bps(q);
    TripTime trip;
    const std::vector<Hop>& data = paths.hops(qp, Way::data);
    trip.add(world.fabric, data, framing.payload_bytes + framing.overhead_wire_bytes);
    if (bps > 0) {
      add_data(data, work[q], bps, horizon, loads);
      for (const Hop& hop : data) loads.of[hop.link].tcp_qps += tcp;
      if (work[q].grants > 0)
        add_answers(data, work[q], work[q].grants, work[q].grants * framing.ack_wire_bytes, tcp, loads);
    }
    const std::vector<Hop>& answers = paths.hops(qp, Way::answers);
    trip.add(world.fabric, answers, framing.ack_wire_bytes);
    if (bps > 0) add_answers(answers, work[q], work[q].answers, work[q].answer_wire_bytes, tcp, loads);
    if (bps > 0) shortest_ps = std::min(shortest_ps, static_cast<TimePs>(trip.propagation_ps));
    const auto whole_ps = static_cast<TimePs>(trip.propagation_ps + trip.serialization_ps);
    RoundTrip& longest = tcp ? loads.longest_tcp_round_trip : loads.longest_round_trip;
    if (whole_ps > longest.time_ps) longest = {q, whole_ps};
  }
  if (shortest_ps < kNever) loads.shortest_round_trip_ps = shortest_ps;
}

}  // namespace

double ps_per_byte(const Link& link) { return static_cast<double>(speed_of(link.ps_per_byte_q16)) / 65536; }

bool can_follow_qps(const World& world) {
  constexpr size_t kMaxQps = 10'000'000;
  const size_t qps = world.traffic.qps.size();
  return qps != 0 && count_qps(world) == qps && qps <= kMaxQps;
}

LinkLoads link_loads(const World& world) {
  LinkLoads loads;
  if (!can_follow_qps(world)) return loads;
  loads.of.resize(world.fabric.links.size());
  const std::vector<QpWork> work = work_of_qps(world);
  const OfferedRates offered(world, work);
  QpPaths paths(world);
  Horizon horizon(world);
  follow_both_ways(world, work, offered, paths, horizon, loads);
  // load that exceeds one link does not arrive at the next
  OfferedAlong along(world.fabric, carried_shares(world, loads));
  for (LinkLoad& load : loads.of) load.offered_bps = 0;
  for (QpId q = 0; q < work.size(); ++q) {
    const double bps = offered.bps(q);
    if (bps != 0) along.add(paths.hops(world.traffic.qps[q], Way::data), bps, loads);
  }
  horizon.hold_back(loads);
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
  // excess load from hashing or rounding at a full link is no queue
  return load.offered_bps <= rate_bps * 1.001 ? 0 : load.max_wire_bytes * (1 - rate_bps / load.offered_bps);
}

}  // namespace heddle
