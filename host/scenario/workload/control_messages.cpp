#include "host/scenario/workload/control_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "host/base/error.hpp"
#include "host/scenario/controller/settings.hpp"
#include "host/scenario/workload/traffic_builder.hpp"
#include "kernels/routing/policy_info.hpp"
#include "kernels/world/fabric_of.hpp"

namespace heddle {
namespace {

constexpr const char* kSection = "routing.traffic_engineering.network";
constexpr Origin kOrigin{kSection, 0};

/// Every route message of a period waits for every report of it.
constexpr u64 kMaxWaits = u64{1} << 26;

/// A queue pair's packets are counted in 32 bits, of which one tells before from after.
constexpr u64 kMaxPackets = (u64{1} << 31) - 1;

/// At most: no payload of a packet is less.
u64 packets_of_routes(const ControlNetworkOptions& o) { return o.route_bytes / 64 + 1; }

[[noreturn]] void refuse(std::string_view key, const std::string& why) {
  throw ConfigError(fmt::format("{}.{}: {}", kSection, key, why));
}

/// The switches of the first fabric that use entries.
u32 planned_switches(const World& world) {
  const Fabric& f = world.fabric;
  u32 count = 0;
  for (NodeId n = f.endpoints; n < f.nodes.size(); ++n)
    count += fabric_of_tier(f, f.nodes[n].tier) == 0 && policy_at(world, n).by_controller;
  return count;
}

Hosts range_of(u64 first, u64 count, const Hosts& all, std::string_view key) {
  if (first + count > all.count) {
    refuse(key, fmt::format("{} hosts from {} on, but the fabric has hosts 0 to {}; give other servers, first_server, "
                            "first_switch (otherwise behind the servers) or switches (otherwise all that take routes), "
                            "or enlarge its topology",
                            count, first, all.count - 1));
  }
  return {all.first + static_cast<EndpointId>(first), static_cast<u32>(count)};
}

bool is_in(EndpointId host, const Hosts& hosts) { return host >= hosts.first && host - hosts.first < hosts.count; }

void check_apart(const ControlEnds& ends) {
  const Hosts &a = ends.servers, &b = ends.switches;
  if (is_in(ends.controller, a) || is_in(ends.controller, b))
    refuse("controller", "this host is also a server's or a switch's, and would send to itself; name another one");
  if (a.first < b.first + b.count && b.first < a.first + a.count)
    refuse("first_switch", "some hosts would be both a server's and a switch's; let the two ranges be apart");
}

u32 periods_of(const ControlNetworkOptions& o, const World& world) {
  const TimePs period_ps = solution_period_ps(world.routing), first_ps = first_solution_ps(world.routing);
  if (period_ps == 0) return 0;
  if (o.periods == 0 && world.clocks.horizon_ps == kNever) {
    refuse("periods",
           "how many times does the controller measure? Its messages are work of the run, which would not end; say how "
           "many, or give simulation.horizon");
  }
  const TimePs end_ps = std::min(world.clocks.horizon_ps, kNever / 2);
  const u64 before_end = first_ps < end_ps ? static_cast<u64>((end_ps - 1 - first_ps) / period_ps) + 1 : 0;
  return static_cast<u32>(std::min<u64>(o.periods != 0 ? o.periods : kMaxWaits + 1, before_end));  // more are refused
}

}  // namespace

ControlEnds control_ends(const ControlNetworkOptions& o, const World& world) {
  ControlEnds ends;
  if (!o.present()) return ends;
  const Hosts all = hosts_of_fabric(world.fabric, o.fabric, kSection);
  if (o.servers == 0) refuse("servers", "nobody would report; say how many hosts do, one for each server");
  ends.controller = endpoint_at(all, o.controller, fmt::format("{}.controller", kSection));
  ends.servers = range_of(o.first_server, o.servers, all, "servers");
  const u64 first_switch = o.first_switch != 0 ? o.first_switch : u64{o.first_server} + o.servers;
  const u32 switches = o.switches != 0 ? o.switches : planned_switches(world);
  if (switches == 0) {
    refuse("switches",
           "no switch of the first fabric has the policy traffic_engineering, so nobody would take the routes; set "
           "routing.policy, or say how many get them");
  }
  ends.switches = range_of(first_switch, switches, all, "switches");
  check_apart(ends);
  ends.periods = periods_of(o, world);
  if (ends.waits() > kMaxWaits) {
    refuse("periods", fmt::format("{} periods, in each of which routes to {} switches wait for {} reports, are {} "
                                  "waits, and there is room for {}; take fewer periods, or a longer one",
                                  ends.periods, ends.switches.count, ends.servers.count, ends.waits(), kMaxWaits));
  }
  if (ends.periods * packets_of_routes(o) > kMaxPackets) {
    refuse("route_bytes",
           fmt::format("{} periods of it are more than {} packets to a switch; take fewer periods, or less",
                       ends.periods, kMaxPackets));
  }
  return ends;
}

void add_control_messages(const ControlNetworkOptions& o, World& world, TrafficBuilder& traffic) {
  world.routing.control = {};
  const ControlEnds ends = control_ends(o, world);
  if (!o.present()) return;
  ControlNetwork& control = world.routing.control;
  control = {o.commit_ps, o.solve_ps, ends.periods, ends.switches.count, {}};
  const u8 traffic_class = traffic.class_number(o.traffic_class, kOrigin);
  const u32 connections = traffic.add_connections();
  const auto add = [&](EndpointId src, EndpointId dst, u64 bytes, TimePs post_ps) {
    const u32 message = traffic.add_message(src, dst, bytes, post_ps, traffic_class, kOrigin);
    traffic.use(connections, message);
    return message;
  };
  TimePs measured_ps = first_solution_ps(world.routing);
  for (u32 k = 0; k < ends.periods; ++k, measured_ps += solution_period_ps(world.routing)) {
    std::vector<u32> reports;
    for (u32 i = 0; i < ends.servers.count; ++i)
      reports.push_back(add(ends.servers.first + i, ends.controller, o.report_bytes, measured_ps));
    for (u32 i = 0; i < ends.switches.count; ++i) {
      control.routes.push_back(add(ends.controller, ends.switches.first + i, o.route_bytes, o.solve_ps));
      traffic.post_behind(control.routes.back(), reports, true, kOrigin);
    }
  }
}

}  // namespace heddle
