// The expected traffic: packets from endpoint to endpoint, before any route is known.
#pragma once

#include <functional>

#include "kernels/world/world.hpp"

namespace heddle {

struct Demand {
  EndpointId src = kNone, dst = kNone;
  u32 path = kNone;  // index in Routing::path_first under explicit routing, else kNone
  u64 packets = 0;   // at least 1
};

/// Calls `take` for the data of every message and connection of the World, and for its answers: an ACK for so many
/// packets as its transport says and at the end of each message, and a CTS per slice of a connection. NVLink is no
/// network traffic. Not foreseen: retransmissions, CNPs and NAKs. With a horizon each counts at most what its NIC alone
/// could send from its posting until then, which is still an overestimate for many messages of one NIC.
void for_each_demand(const World& world, const std::function<void(const Demand&)>& take);

}  // namespace heddle
