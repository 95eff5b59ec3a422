// The oracle's routing policies: a file each, and a line in policies.cpp.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernels/world/world.hpp"
#include "tests/oracle/packet.hpp"

namespace heddle {
struct Totals;
}

namespace heddle::oracle {

/// A packet that has come to a switch on which its destination does not hang.
struct RouteContext {
  const World& world;
  NodeId at;
  const Packet& packet;
  u32 ingress_port = 0;
  TimePs t = 0;
  /// What an egress port of this switch held at the latest epoch start, in all classes.
  std::function<u64(u32 port)> sampled_bytes = {};
  Totals* totals = nullptr;  // what a policy counts

  /// Equal next hops in port order, at least one. Throws std::invalid_argument when there is none.
  std::span<const u16> next_hops() const;
  /// Below `count`, by the hash of the packet's flow; its destination QP counts with `with_qp` at least
  /// (MODEL.md, 7.2).
  u64 flow_index(bool with_qp, u64 count) const;
  /// 20 bits that tell flows apart that share an entry (MODEL.md, 7.5).
  u64 flow_tag() const;
  /// 32 bits, of this arrival, or of the ingress queue (MODEL.md, 7.4).
  u64 arrival_chance() const;
  u64 ingress_chance() const;
  /// A setting of the policy: "flowlet.gap".
  i64 parameter(const std::string& key) const { return world.routing.parameters.at(key); }
};

/// What one switch does, with all that it remembers.
class Policy {
 public:
  virtual ~Policy() = default;
  /// The egress port.
  virtual u32 choose(const RouteContext& context) = 0;
};

std::unique_ptr<Policy> make_adaptive();
std::unique_ptr<Policy> make_e_ecmp();
std::unique_ptr<Policy> make_ecmp();
std::unique_ptr<Policy> make_explicit();
std::unique_ptr<Policy> make_flowlet();
std::unique_ptr<Policy> make_path_pinning();
std::unique_ptr<Policy> make_spray();
std::unique_ptr<Policy> make_traffic_engineering();
std::unique_ptr<Policy> make_weighted();

/// nullptr: the oracle does not know it.
std::unique_ptr<Policy> find_policy(std::string_view name);

/// Throws std::invalid_argument when the oracle does not know it.
std::unique_ptr<Policy> policy_named(const std::string& name);

/// Throws std::invalid_argument: a packet could never arrive.
[[noreturn]] void no_way(const World& world, NodeId at, const Packet& packet);

}  // namespace heddle::oracle
