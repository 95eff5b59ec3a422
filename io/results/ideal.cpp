#include "io/results/ideal.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/base/units.hpp"

namespace heddle {
namespace {

/// Port of `node` towards `dst`, kNone when there is none.
u32 next_port(const World& world, NodeId node, EndpointId dst, u32 path) {
  const Routing& routing = world.routing;
  if (path != kNone) {
    for (u32 i = routing.path_first[path]; i < routing.path_first[path + 1]; ++i) {
      if (routing.hops[i].node == node) return routing.hops[i].port;
    }
    return kNone;
  }
  const u32 address = address_of(world.fabric, dst, 0);
  if (routing.attach_switch[address] == node) return routing.attach_port[address];
  const std::span<const u16> ports = routing.next_hops(node, routing.group_of[address]);
  return ports.empty() ? kNone : ports.front();
}

/// Links from src to dst, by the first ports of their NICs. Empty when there is no path, or the routes never reach dst.
std::vector<LinkId> links_of(const World& world, EndpointId src, EndpointId dst, u32 path) {
  const Fabric& fabric = world.fabric;
  std::vector<LinkId> links = {fabric.nodes[src].first_link};
  while (fabric.links[links.back()].dst != dst) {
    const NodeId node = fabric.links[links.back()].dst;
    if (node < fabric.endpoints || links.size() > fabric.nodes.size()) return {};
    const u32 port = next_port(world, node, dst, path);
    if (port == kNone) return {};
    links.push_back(fabric.nodes[node].first_link + port);
  }
  return links;
}

/// A message's packets on one link: one first, `middle` equal ones, one last (none when the message is one packet).
struct Costs {
  TimePs first_ps = 0, middle_ps = 0, last_ps = 0;
};

/// Last arrival of a train of packets: the longest monotone path through the grid (packet, link). The path leaves the
/// first packet's row at link i, enters the last packet's row at link j >= i, and crosses the middle rows at the
/// slowest link between.
TimePs longest_ps(const std::vector<Costs>& costs, u64 middle, bool has_last) {
  const size_t n = costs.size();
  TimePs best = 0;
  for (size_t i = 0; i < n; ++i) {
    TimePs before = 0, slowest = 0, between = 0;
    for (size_t k = 0; k <= i; ++k) before += costs[k].first_ps;
    if (!has_last && i + 1 < n) continue;  // one packet: its own row to the end
    if (!has_last) return before;
    for (size_t j = i; j < n; ++j) {
      slowest = std::max(slowest, costs[j].middle_ps);
      between += costs[j].middle_ps;
      TimePs after = 0;
      for (size_t k = j; k < n; ++k) after += costs[k].last_ps;
      // Each middle packet costs the slowest link once; the path through the other links is paid once.
      const TimePs middle_ps = middle == 0 ? 0 : between + static_cast<TimePs>(middle - 1) * slowest;
      if (middle != 0 || j == i) best = std::max(best, before + middle_ps + after);
    }
  }
  return best;
}

TimePs train_ps(const World& world, u32 traffic_class, const std::vector<LinkId>& links, u64 bytes) {
  const Framing framing = framing_of(world, traffic_class);
  const u64 full_bytes = framing.payload_bytes, all = framing.packets(bytes);
  const bool by_packet = !is_tcp(world, traffic_class) && world.roce.port_choice == PortChoice::per_packet;
  const u64 ports = by_packet ? world.fabric.nic_ports : 1;
  // Of a port that carries most: where the packets cannot be divided evenly, the small last one may be at another port.
  const u64 packets = (all + ports - 1) / ports;
  const u64 last_bytes = all == 1 || all % ports == 1 % ports ? bytes - (all - 1) * full_bytes : full_bytes;
  const u64 first_bytes = packets == 1 ? last_bytes : full_bytes;
  std::vector<Costs> costs;
  TimePs latency_ps = 0;
  for (const LinkId id : links) {
    const Link& link = world.fabric.links[id];
    const u32 speed = link.ps_per_byte_q16;
    costs.push_back({ser_ps(first_bytes + framing.overhead_wire_bytes + framing.first_bytes, speed),
                     ser_ps(full_bytes + framing.overhead_wire_bytes, speed),
                     ser_ps(last_bytes + framing.overhead_wire_bytes, speed)});
    latency_ps += link.lambda_ps;
  }
  return latency_ps + longest_ps(costs, packets < 2 ? 0 : packets - 2, packets > 1);
}

}  // namespace

TimePs ideal_completion_ps(const World& world, MessageId message) {
  const Message& m = world.traffic.messages[message];
  const Qp& qp = world.traffic.qps[m.qp];
  const std::vector<LinkId> there = links_of(world, qp.src, qp.dst, qp.data_path);
  const std::vector<LinkId> back = links_of(world, qp.dst, qp.src, qp.control_path);
  if (there.empty() || back.empty()) return -1;
  TimePs total_ps = world.roce.posting_delay_ps + train_ps(world, qp.traffic_class, there, m.bytes);
  for (const LinkId id : back) {
    const Link& link = world.fabric.links[id];
    total_ps += link.lambda_ps + ser_ps(framing_of(world, qp.traffic_class).ack_wire_bytes, link.ps_per_byte_q16);
  }
  return total_ps;
}

}  // namespace heddle
