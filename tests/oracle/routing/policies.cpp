#include "tests/oracle/routing/policies.hpp"

#include <map>
#include <stdexcept>

#include "kernels/base/hash.hpp"

namespace heddle::oracle {

std::unique_ptr<Policy> find_policy(std::string_view name) {
  static const std::map<std::string_view, std::unique_ptr<Policy> (*)()> known = {
      {"adaptive", make_adaptive}, {"e_ecmp", make_e_ecmp},
      {"ecmp", make_ecmp},         {"explicit", make_explicit},
      {"flowlet", make_flowlet},   {"path_pinning", make_path_pinning},
      {"spray", make_spray},       {"traffic_engineering", make_traffic_engineering},
      {"weighted", make_weighted},
  };
  auto found = known.find(name);
  return found == known.end() ? nullptr : found->second();
}

std::unique_ptr<Policy> policy_named(const std::string& name) {
  std::unique_ptr<Policy> policy = find_policy(name);
  if (policy == nullptr)
    throw std::invalid_argument("the oracle does not know the routing policy '" + name +
                                "'; write it in tests/oracle/routing, with its line in policies.cpp");
  return policy;
}

std::span<const u16> RouteContext::next_hops() const {
  std::span<const u16> ports = world.routing.next_hops(at, world.routing.group_of[packet.dst], t);
  if (ports.empty()) no_way(world, at, packet);
  return ports;
}

u64 RouteContext::flow_tag() const {
  u64 where = world.routing.hash.seed_word(at, world.fabric.nodes[at].tier);
  u64 ends = (u64{packet.src} << 32) | packet.dst;
  u64 udp = (u64{17} << 32) | (u64{packet.source_port} << 16) | 4791;
  return hash64(world.seed, Stream::ecmp, where, ends, udp, u64{packet.dst_qp}) & 0xfffff;
}

u64 RouteContext::arrival_chance() const {
  return hash32(world.seed, Stream::path, (u64{at} << 32) | ingress_port, static_cast<u64>(t));
}

u64 RouteContext::ingress_chance() const {
  return hash32(world.seed, Stream::path, (u64{at} << 32) | ingress_port, ~u64{packet.cls});
}

void no_way(const World& world, NodeId at, const Packet& packet) {
  auto name = [&](NodeId n) {
    return n < world.fabric.names.size() ? world.fabric.names[n] : "node " + std::to_string(n);
  };
  throw std::invalid_argument("no route at " + name(at) + " to " + name(packet.dst) +
                              ": its packets could never arrive; give this switch a next hop or a path hop");
}

}  // namespace heddle::oracle
