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

/// A packet that has arrived at a switch to which its destination is not attached.
struct RouteContext {
  const World& world;
  NodeId at;
  const Packet& packet;
  u32 ingress_port = 0;
  TimePs t = 0;
  /// Bytes that an egress port of this switch held at the latest epoch start, in all classes.
  std::function<u64(u32 port)> sampled_bytes = {};
  Totals* totals = nullptr;  // counters of the policy

  /// Equal next hops in port order, at least one. Throws std::invalid_argument when there is none.
  std::span<const u16> next_hops() const;
  /// Returns an index below `count`, by the hash of the packet's flow; with `with_qp` its destination QP counts, too
  /// (MODEL.md, 7.2).
  u64 flow_index(bool with_qp, u64 count) const;
  /// 20 bits that distinguish flows that share an entry (MODEL.md, 7.5).
  u64 flow_tag() const;
  /// 32 random bits for this arrival, or for the ingress queue (MODEL.md, 7.4).
  u64 arrival_chance() const;
  u64 ingress_chance() const;
  /// Returns a setting of the policy: "flowlet.gap".
  i64 parameter(const std::string& key) const { return world.routing.parameters.at(key); }
};

/// The policy of one switch, with all its state.
class Policy {
 public:
  virtual ~Policy() = default;
  /// Returns the egress port.
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

/// Returns nullptr for a policy that the oracle does not implement.
std::unique_ptr<Policy> find_policy(std::string_view name);

/// Throws std::invalid_argument for a policy that the oracle does not implement.
std::unique_ptr<Policy> policy_named(const std::string& name);

/// Throws std::invalid_argument: a packet could never arrive.
[[noreturn]] void no_way(const World& world, NodeId at, const Packet& packet);

}  // namespace heddle::oracle
