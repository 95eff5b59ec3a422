#include "tests/oracle/routing/policies.hpp"

#include <map>
#include <stdexcept>

namespace heddle::oracle {

ChoosePort find_policy(const std::string& name) {
  static const std::map<std::string, ChoosePort> known = {
      {"ecmp", choose_ecmp},
      {"e_ecmp", choose_e_ecmp},
      {"explicit", choose_explicit},
  };
  auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

ChoosePort policy_named(const std::string& name) {
  ChoosePort policy = find_policy(name);
  if (policy == nullptr)
    throw std::invalid_argument("the oracle does not know the routing policy '" + name +
                                "'; write it in tests/oracle/routing, with its line in policies.cpp");
  return policy;
}

std::span<const u16> next_hops(const World& world, NodeId at, const Packet& packet) {
  std::span<const u16> ports = world.routing.next_hops(at, world.routing.group_of[packet.dst]);
  if (ports.empty()) no_way(world, at, packet);
  return ports;
}

void no_way(const World& world, NodeId at, const Packet& packet) {
  std::string name = at < world.fabric.names.size() ? world.fabric.names[at] : "node " + std::to_string(at);
  throw std::invalid_argument("no route at " + name + " to " +
                              (packet.dst < world.fabric.names.size() ? world.fabric.names[packet.dst]
                                                                      : "node " + std::to_string(packet.dst)) +
                              ": its packets could never arrive; give this switch a next hop or a path hop");
}

}  // namespace heddle::oracle
