#include "tests/property/twist.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "tests/property/draw.hpp"
#include "tests/property/larger_packets.hpp"

namespace heddle::property {
namespace {

/// Adds a class, so that three weighted classes compete, up to four with PFC.
void add_fourth_class(Draw& draw, World& world) {
  TrafficClass extra;
  extra.strict = draw.percent(20);
  extra.weight = static_cast<u32>(draw.between(1, 4));
  extra.pfc = draw.percent(50);
  extra.ecn = draw.percent(50);
  if (draw.percent(30)) extra.limit_bytes = draw.between(2, 20) * world.fabric.max_frame_bytes;
  world.fabric.classes.push_back(extra);
  for (Qp& qp : world.traffic.qps) {
    if (draw.percent(35)) qp.traffic_class = 3;
  }
}

/// Leaves too little room behind the threshold, and sometimes gives the NIC a pool with a dynamic threshold.
void crowd_slow_nics(Draw& draw, World& world) {
  Fabric& fabric = world.fabric;
  for (const SlowReceiver& slow : world.traffic.slow_receivers) {
    Link& down = fabric.links[fabric.links[fabric.nodes[slow.endpoint].first_link].reverse];
    IngressProfile profile = fabric.ingress[down.ingress];
    profile.headroom_bytes = static_cast<u32>(draw.between(1, 20) * fabric.max_frame_bytes);
    if (draw.percent(50)) {
      Pool pool;
      pool.node = slow.endpoint;
      pool.shared_bytes = draw.between(2, 30) * fabric.max_frame_bytes;
      pool.limit_bytes = pool.shared_bytes + draw.below(profile.headroom_bytes);
      down.pool = static_cast<u32>(fabric.pools.size());
      fabric.pools.push_back(pool);
      profile.dynamic = draw.percent(70);
      profile.alpha_q16 = static_cast<u32>(draw.pick<u64>({1 << 14, 1 << 16, 1 << 20}));
    }
    down.ingress = static_cast<u32>(fabric.ingress.size());
    fabric.ingress.push_back(profile);
  }
}

/// Removes PFC of some links into switches, and marking of some egresses.
void thin_out(Draw& draw, World& world) {
  Fabric& fabric = world.fabric;
  for (Link& link : fabric.links) {
    if (link.dst >= fabric.endpoints && draw.percent(25)) link.ingress = link.pool = kNone;
    if (draw.percent(25)) link.ecn = kNone;
  }
}

void lengthen_links(Draw& draw, World& world) {
  for (Link& link : world.fabric.links) {
    if (draw.percent(40)) link.lambda_ps += static_cast<TimePs>(draw.below(300'000));
    if (draw.percent(40)) link.phi_ps += static_cast<TimePs>(draw.below(300'000));
  }
}

/// Entries that are dropped, changed or added later, also entries to ports that are no next hops (lookups must skip
/// them, as they do when links fail).
RouteEntries other_entries(Draw& draw, const World& world) {
  const Fabric& fabric = world.fabric;
  const u32 groups = world.routing.table.groups;
  RouteEntries other;
  other.first.push_back(0);
  for (LinkId own = 0; own < fabric.links.size(); ++own) {
    const NodeId at = fabric.links[own].src;
    for (u32 group = 0; at >= fabric.endpoints && group < groups; ++group) {
      if (draw.percent(40)) continue;
      const std::span<const u16> hops = world.routing.next_hops(at, group);
      const bool wild = hops.empty() || draw.percent(10);
      other.entries.push_back(
          {group, static_cast<u32>(wild ? draw.below(fabric.nodes[at].ports) : hops[draw.below(hops.size())])});
    }
    other.first.push_back(static_cast<u32>(other.entries.size()));
  }
  return other;
}

void change_entries(Draw& draw, World& world) {
  if (world.routing.controller.empty()) return;
  const u64 times = draw.between(1, 3);
  for (u64 i = 0; i < times; ++i) {
    RouteEntries other = other_entries(draw, world);
    other.from_ps = world.routing.controller.back().from_ps + static_cast<TimePs>(draw.between(1, 20'000'000));
    world.routing.controller.push_back(std::move(other));
  }
}

/// Makes frames of up to 128 KiB.
void enlarge_packets(Draw& draw, World& world) {
  enlarge(world, static_cast<u32>(draw.between(2, std::min(max_mtus_of_packet(world), 16u))));
}

}  // namespace

void twist(const Twist& how, World& world) {
  const auto part = [&](u32 bit, const char* stream, u32 percent, void (*change)(Draw&, World&)) {
    Draw draw(how.seed, stream);
    if ((how.parts & bit) != 0 && draw.percent(percent)) change(draw, world);
  };
  if (world.routing.detour_class == 0) part(kTwistClasses, "twist classes", 50, add_fourth_class);
  part(kTwistSlowNics, "twist slow NICs", 80, crowd_slow_nics);
  part(kTwistAccounts, "twist accounts", 30, thin_out);
  part(kTwistLatencies, "twist latencies", 40, lengthen_links);
  part(kTwistEntries, "twist entries", 80, change_entries);
  part(kTwistPackets, "twist packets", 40, enlarge_packets);
  world.clocks.horizon_ps = std::min(world.clocks.horizon_ps, how.longest_ps);
}

}  // namespace heddle::property
