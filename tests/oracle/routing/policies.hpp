// The oracle's routing policies: a file each, and a line in policies.cpp.
#pragma once

#include <span>
#include <string>

#include "kernels/world/world.hpp"
#include "tests/oracle/packet.hpp"

namespace heddle::oracle {

/// The egress port that a policy chooses at a switch on which the packet's destination does not hang.
using ChoosePort = u32 (*)(const World& world, NodeId at, const Packet& packet);

u32 choose_ecmp(const World& world, NodeId at, const Packet& packet);
u32 choose_e_ecmp(const World& world, NodeId at, const Packet& packet);
u32 choose_explicit(const World& world, NodeId at, const Packet& packet);

/// nullptr: the oracle does not know it.
ChoosePort find_policy(const std::string& name);

/// Throws std::invalid_argument when the oracle does not know it.
ChoosePort policy_named(const std::string& name);

/// For policies: equal next hops in port order, at least one. Throws std::invalid_argument when there is none.
std::span<const u16> next_hops(const World& world, NodeId at, const Packet& packet);

/// Throws std::invalid_argument: a packet could never arrive.
[[noreturn]] void no_way(const World& world, NodeId at, const Packet& packet);

}  // namespace heddle::oracle
