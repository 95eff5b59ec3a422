// The messages of a controller that measures over a network: reports of servers, and routes to switches.
#pragma once

#include "host/scenario/controller/network_options.hpp"
#include "host/scenario/workload/hosts.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

class TrafficBuilder;

/// Who takes part, and how often.
struct ControlEnds {
  EndpointId controller = kNone;
  Hosts servers, switches;
  u32 periods = 0;  // 0: there is no such network, or its period will be refused

  u64 messages() const { return u64{periods} * (u64{servers.count} + switches.count); }
  u64 waits() const { return u64{periods} * servers.count * switches.count; }
};

/// Needs fabric, routing, and the horizon. Throws ConfigError: hosts that are not there or are several things at once,
/// nobody who reports, no end, too many messages.
ControlEnds control_ends(const ControlNetworkOptions& options, const World& world);

/// Adds the messages, and fills world.routing.control. Throws as control_ends().
void add_control_messages(const ControlNetworkOptions& options, World& world, TrafficBuilder& traffic);

}  // namespace heddle
