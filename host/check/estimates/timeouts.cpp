#include "host/check/estimates/timeouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "host/base/quantity_text.hpp"
#include "host/check/estimates/buffer_room.hpp"
#include "host/check/estimates/qp_path.hpp"
#include "host/scenario/topology/link_types.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

struct LongestQueue {
  LinkId link = kNone;
  double bytes = 0, packet_bytes = 0;
};

LongestQueue longest_queue(const World& world, const LinkLoads& loads) {
  LongestQueue longest;
  double longest_ps = 0;
  for (LinkId l = 0; l < loads.of.size(); ++l) {
    const Link& link = world.fabric.links[l];
    const bool has_roce = loads.of[l].qps > loads.of[l].tcp_qps && link.src >= world.fabric.endpoints;
    const double bytes = !has_roce ? 0 : queue_wire_bytes(link, loads.of[l]);
    const double ps = bytes * ps_per_byte(link);
    if (ps <= longest_ps) continue;
    longest_ps = ps;
    longest = {l, bytes, loads.of[l].max_wire_bytes / loads.of[l].max_packets};
  }
  return longest;
}

/// The endpoints that send over a link: how many, and how much the buffers on their paths to it hold together.
struct Upstream {
  u32 senders = 0;
  double room_bytes = 0;
};

Upstream upstream_of(const World& world, LinkId link) {
  std::set<EndpointId> senders;
  std::vector<bool> passed(world.fabric.links.size());
  QpPaths paths(world);
  for (const Qp& qp : world.traffic.qps) {
    const std::vector<Hop>& hops = paths.hops(qp, Way::data);
    const auto here = std::ranges::find(hops, link, &Hop::link);
    if (here == hops.end()) continue;
    senders.insert(qp.src);
    for (auto hop = hops.begin(); hop != here; ++hop) passed[hop->link] = true;
  }
  return {static_cast<u32>(senders.size()), room_behind(world, passed)};
}

std::string short_of_the_way(const World& world, const RoundTrip& trip) {
  const Qp& qp = world.traffic.qps[trip.qp];
  return fmt::format(
      "roce.rto of {} is shorter than the way from {} to {} and back ({} with all queues empty): packets are sent "
      "again before their ACK can come, and queue pairs give up though nothing is lost; give roce.rto some times that",
      time_text(world.roce.rto_ps), world.fabric.names[qp.src], world.fabric.names[qp.dst], time_text(trip.time_ps));
}

}  // namespace

TimeoutRisk timeout_risk(const World& world, const LinkLoads& loads) {
  if (!loads.known() || world.roce.rto_ps == 0) return {};
  const double rto_ps = static_cast<double>(world.roce.rto_ps);
  const RoundTrip& trip = loads.longest_round_trip;
  if (trip.qp != kNone && world.roce.rto_ps < trip.time_ps) return {short_of_the_way(world, trip), true, 0};
  const LongestQueue queue = longest_queue(world, loads);
  if (queue.link == kNone) return {};
  const Link& link = world.fabric.links[queue.link];
  const double byte_ps = ps_per_byte(link);
  const double turn_ps = world.roce.ack_every * loads.of[queue.link].qps * queue.packet_bytes * byte_ps;
  if (queue.bytes * byte_ps <= rto_ps) return {};
  const Upstream upstream = upstream_of(world, queue.link);
  const double waiting = std::min(queue.bytes, upstream.room_bytes), wait_ps = waiting * byte_ps;
  const bool certain = turn_ps > rto_ps && wait_ps > rto_ps;
  if (!certain && (wait_ps <= rto_ps || !world.congestion.none())) return {};
  const std::string what =
      certain ? fmt::format("and an ACK for each of its {} queue pairs comes every {}: most packets are sent again",
                            loads.of[queue.link].qps, time_text(turn_ps))
              : "so packets may be sent again";
  return {fmt::format(
              "roce.rto of {} is shorter than packets may wait for {}: {} senders can have {} in its "
              "queue and those before it, which take {} at {}, {} though nothing is lost, which makes the "
              "queues longer still. What the run takes is then not known, nor whether queue pairs give up. "
              "Try a larger roce.rto, a smaller roce.window_packets ({} now), or fewer senders",
              time_text(rto_ps), link_name(world.fabric, queue.link), upstream.senders, bytes_text(waiting),
              time_text(wait_ps), rate_text(bits_per_s_of(link.ps_per_byte_q16)), what,
              window_of(world.roce) == kPsnWindowPackets ? "without limit" : fmt::format("{}", window_of(world.roce))),
          certain, upstream.room_bytes};
}

}  // namespace heddle
