#include "host/scenario/topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "host/base/error.hpp"
#include "host/base/stage.hpp"
#include "host/scenario/topology/assemble.hpp"
#include "host/scenario/topology/buffers.hpp"
#include "host/scenario/topology/link_weights.hpp"
#include "host/scenario/topology/parts.hpp"
#include "host/scenario/topology/registry.hpp"
#include "host/scenario/topology/shortest_paths.hpp"
#include "kernels/base/units.hpp"
#include "kernels/routing/policy_info.hpp"
#include "kernels/state/packet.hpp"

namespace heddle {
namespace {

/// The largest frame that any packet of this transport can have.
u32 max_frame_bytes(const RoceSettings& roce) {
  const u32 data = roce.mtu_bytes + roce.data_overhead_wire_bytes + roce.reth_bytes;
  const u32 wire = std::max({data, roce.ack_wire_bytes, roce.cnp_wire_bytes, roce.cts_wire_bytes});
  if (wire < kWireGapBytes + 1 || wire - kWireGapBytes > kMaxFrameBytes) {
    throw ConfigError(
        fmt::format("roce.mtu: packets of {} B on the wire do not fit; a frame (wire less 20) has 1 to {} B", wire,
                    kMaxFrameBytes));
  }
  return wire - kWireGapBytes;
}

/// The smallest frame that any packet of this transport can have.
u32 min_frame_bytes(const RoceSettings& roce, bool empty_messages) {
  const u32 data = std::min(empty_messages ? roce.reth_bytes : 1, 1u);  // payload, or an empty message's RETH
  const u32 wire =
      std::min({roce.data_overhead_wire_bytes + data, roce.ack_wire_bytes, roce.cnp_wire_bytes, roce.cts_wire_bytes});
  return wire > kWireGapBytes ? wire - kWireGapBytes : 1;
}

/// Checks that every packet takes at least one nanosecond, with times in whole nanoseconds.
void check_times(const Fabric& fabric) {
  for (const Link& link : fabric.links) {
    if (ser_ps(fabric.min_frame_bytes + kWireGapBytes, link.ps_per_byte_q16) > 0) continue;
    throw ConfigError(fmt::format(
        "link: packets of {} B would take no time on {}, as link.whole_nanoseconds cuts times below 1 ns to "
        "0; choose slower links, or whole_nanoseconds = false",
        fabric.min_frame_bytes + kWireGapBytes,
        describe_link(fabric, static_cast<LinkId>(&link - fabric.links.data()))));
  }
}

/// Refuses a dynamic limit that no switch can apply and would ignore silently.
void check_dynamic_limits(const Fabric& fabric) {
  for (const TrafficClass& c : fabric.classes) {
    if (c.limit_alpha_q16 == 0 || !fabric.pools.empty()) continue;
    throw ConfigError(fmt::format(
        "class.*.limit_alpha: no switch of this fabric has a shared buffer whose free memory the limit could follow; "
        "set {}.kind = \"shared\", or use class.*.limit",
        fabric.tiers[1].memory_section));
  }
}

void check_classes(const Fabric& fabric) {
  if (fabric.classes.size() < 2 || fabric.classes.size() > kMaxClasses) {
    throw ConfigError(fmt::format("class: {} traffic classes; there must be 2 (control and data) to {}",
                                  fabric.classes.size(), kMaxClasses));
  }
}

void set_policies(const RoutingOptions& options, std::span<const TierInfo> tiers, Routing& routing) {
  u32 follow_paths = 0;
  for (u32 tier = 1; tier < tiers.size(); ++tier) {
    const std::string& name = options.policy_of(tiers[tier].name);
    routing.policy[tier] = name;
    follow_paths += policy_named(name).follows_paths;
  }
  std::vector<std::string_view> names;
  for (const TierInfo& tier : tiers.subspan(1)) names.push_back(tier.name);
  for (const PolicyValue& v : options.values) {
    if (options.uses(v.policy->name, names))
      routing.parameters[fmt::format("{}.{}", v.policy->name, v.parameter->key)] = v.value();
  }
  if (follow_paths == 0) return;
  if (follow_paths + 1 < tiers.size()) {
    throw ConfigError(
        fmt::format("routing: a path that is given names every switch from end to end, so its policy must be that of "
                    "all tiers; set routing.policy to it and leave out {}, {} and {}",
                    tiers[1].policy_key, tiers[2].policy_key, tiers[3].policy_key));
  }
  routing.path_first = {0};
}

}  // namespace

void build_topology(const FabricOptions& options, const RoutingOptions& routing, const PlainTopology* imported,
                    World& world, bool empty_messages) {
  check_classes(world.fabric);
  const GraphBuilder build = graph_builder(options.topology.kind);
  const Graph graph = build({options.topology, options.link, options.leaves, imported});
  std::vector<TrafficClass> classes = std::move(world.fabric.classes);
  world.fabric = assemble_fabric(graph, options);
  world.fabric.classes = std::move(classes);
  world.fabric.max_frame_bytes = max_frame_bytes(world.roce);
  world.fabric.min_frame_bytes = min_frame_bytes(world.roce, empty_messages);
  world.fabric.watchdog_ps = options.pfc.watchdog_ps;
  check_times(world.fabric);
  add_buffers(options, world);
  check_dynamic_limits(world.fabric);
  add_marking(options, world.fabric);
  world.routing = {};
  if (const std::string problem = problem_of_hash(routing.hash); !problem.empty()) throw ConfigError(problem);
  set_policies(routing, world.fabric.tiers, world.routing);
  world.routing.hash = routing_hash_of(routing.hash);
  if (any_tier(world.routing, &PolicyInfo::weighs_links)) world.routing.link_weight = weights_by_speed(world.fabric);
  begin_stage("the routes");
  if (!graph.may_fall_apart) check_joined(world.fabric);
  build_routes(world.fabric, world.routing);
}

}  // namespace heddle
