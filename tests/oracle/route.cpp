#include "tests/oracle/route.hpp"

#include <span>
#include <stdexcept>
#include <string>

#include "kernels/base/hash.hpp"

namespace heddle::oracle {
namespace {

constexpr u64 kUdp = 17;
constexpr u64 kRocePort = 4791;

std::string name_of(const World& world, NodeId node) {
  return node < world.fabric.names.size() ? world.fabric.names[node] : "node " + std::to_string(node);
}

[[noreturn]] void no_way(const World& world, NodeId at, const Packet& packet) {
  throw std::invalid_argument("no route at " + name_of(world, at) + " to " + name_of(world, packet.dst) +
                              ": its packets could never arrive; give this switch a next hop or a path hop");
}

u32 explicit_port(const World& world, NodeId at, const Packet& packet) {
  const Qp& qp = world.traffic.qps[packet.qp];
  u32 path = packet.kind == PacketKind::data ? qp.data_path : qp.control_path;
  if (path == kNone) no_way(world, at, packet);
  for (u32 h = world.routing.path_first[path]; h < world.routing.path_first[path + 1]; ++h) {
    if (world.routing.hops[h].node == at) return world.routing.hops[h].port;
  }
  no_way(world, at, packet);
}

u32 path_hash(const World& world, NodeId at, const Packet& packet) {
  u64 where = world.routing.common_seed ? 0 : at;
  u64 ends = (static_cast<u64>(packet.src) << 32) | packet.dst;
  u64 ports = (kUdp << 32) | (static_cast<u64>(packet.source_port) << 16) | kRocePort;
  if (world.routing.policy == RoutingPolicy::e_ecmp) {
    return hash32(world.seed, Stream::ecmp, where, ends, ports, static_cast<u64>(packet.dst_qp));
  }
  return hash32(world.seed, Stream::ecmp, where, ends, ports);
}

}  // namespace

u32 egress_port(const World& world, NodeId at, const Packet& packet) {
  const Routing& routing = world.routing;
  if (routing.attach_switch[packet.dst] == at) return routing.attach_port[packet.dst];
  if (routing.policy == RoutingPolicy::explicit_paths) return explicit_port(world, at, packet);
  std::span<const u16> ports = routing.next_hops(at, routing.group_of[packet.dst]);
  if (ports.empty()) no_way(world, at, packet);
  return ports[(static_cast<u64>(path_hash(world, at, packet)) * ports.size()) >> 32];
}

}  // namespace heddle::oracle
