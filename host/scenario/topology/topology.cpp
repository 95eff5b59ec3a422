#include "host/scenario/topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "host/base/error.hpp"
#include "host/base/stage.hpp"
#include "host/scenario/topology/assemble.hpp"
#include "host/scenario/topology/buffers.hpp"
#include "host/scenario/topology/detours.hpp"
#include "host/scenario/topology/frame_sizes.hpp"
#include "host/scenario/topology/link_weights.hpp"
#include "host/scenario/topology/other_fabric.hpp"
#include "host/scenario/topology/parts.hpp"
#include "host/scenario/topology/registry.hpp"
#include "host/scenario/topology/shortest_paths.hpp"
#include "host/scenario/topology/switch_hashes.hpp"
#include "host/scenario/topology/transports.hpp"
#include "kernels/base/units.hpp"
#include "kernels/routing/policy_info.hpp"
#include "kernels/state/packet.hpp"

namespace heddle {
namespace {

/// Checks that every packet takes at least one nanosecond, with times in whole nanoseconds.
void check_times(const Fabric& fabric) {
  for (const Link& link : fabric.links) {
    if (ser_ps(fabric.min_frame_bytes + fabric.wire_gap_bytes, link.ps_per_byte_q16) > 0) continue;
    throw ConfigError(fmt::format(
        "link: packets of {} B would take no time on {}, as link.whole_nanoseconds cuts times below 1 ns to "
        "0; choose slower links, or whole_nanoseconds = false",
        fabric.min_frame_bytes + fabric.wire_gap_bytes,
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

/// The policies of the tiers of one fabric, from `first` on. Returns how many follow paths that are given.
u32 set_policies(const RoutingOptions& options, std::span<const TierInfo> tiers, u32 first, Routing& routing) {
  u32 follow_paths = 0;
  std::vector<std::string> own_names;
  for (u32 i = 0; i < tiers.size(); ++i) {
    own_names.emplace_back(own_name(tiers[i]));
    const std::string& name = options.policy_of(own_names.back());
    routing.policy[first + i] = name;
    follow_paths += policy_named(name).follows_paths;
  }
  const std::vector<std::string_view> names(own_names.begin(), own_names.end());
  for (const PolicyValue& v : options.values) {
    if (options.uses(v.policy->name, names))
      routing.parameters[fmt::format("{}.{}", v.policy->name, v.parameter->key)] = v.value();
  }
  return follow_paths;
}

void set_all_policies(const RoutingOptions& options, std::span<const OtherFabricOptions> others, const Fabric& fabric,
                      Routing& routing) {
  const std::span<const TierInfo> tiers = fabric.tiers;
  const auto end_of = [&](size_t i) {
    return i < fabric.others.size() ? static_cast<u32>(fabric.others[i].first_tier) : static_cast<u32>(tiers.size());
  };
  u32 follow_paths = set_policies(options, tiers.subspan(1, end_of(0) - 1), 1, routing);
  for (size_t i = 0; i < others.size(); ++i) {
    RoutingOptions own = options;
    own.tiers = others[i].routing.tiers;
    follow_paths += set_policies(own, tiers.subspan(end_of(i), end_of(i + 1) - end_of(i)), end_of(i), routing);
  }
  if (follow_paths == 0) return;
  if (!others.empty()) {
    throw ConfigError(
        "routing.policy: paths that are given are those of one fabric, and this configuration has a [[fabric]] beside "
        "it; choose another policy, or leave the [[fabric]] out");
  }
  if (follow_paths + 1 < tiers.size()) {
    throw ConfigError(
        fmt::format("routing: a path that is given names every switch from end to end, so its policy must be that of "
                    "all tiers; set routing.policy to it and leave out {}, {} and {}",
                    tiers[1].policy_key, tiers[2].policy_key, tiers[3].policy_key));
  }
  routing.path_first = {0};
}

}  // namespace

void build_fabric(const FabricOptions& options, const PlainTopology* imported, World& world, bool empty_messages) {
  const GraphBuilder build = graph_builder(options.topology.kind);
  const Graph graph = build({options.topology, options.link, options.leaves, imported});
  std::vector<TrafficClass> classes = std::move(world.fabric.classes);
  world.fabric = assemble_fabric(graph, options);
  world.fabric.classes = std::move(classes);
  world.fabric.wire_gap_bytes = options.link.wire_gap_bytes;
  set_frame_sizes(world, empty_messages);
  world.fabric.watchdog_ps = options.pfc.watchdog_ps;
  check_times(world.fabric);
  add_buffers(options, world);
  add_marking(options, world.fabric);
  if (!graph.may_fall_apart) check_joined(world.fabric);
}

void build_topology(const FabricOptions& options, const RoutingOptions& routing, const PlainTopology* imported,
                    World& world, bool empty_messages, std::span<const OtherFabricOptions> others) {
  check_classes(world.fabric);
  const bool detours = wants_detours(options, routing, others);
  if (detours) add_detour_class(world.fabric);
  build_fabric(options, imported, world, empty_messages);
  for (u32 i = 0; i < others.size(); ++i) {
    OtherFabricOptions other = others[i];
    other.fabric.pfc = options.pfc;
    other.fabric.ecn = options.ecn;
    other.fabric.link.whole_nanoseconds = options.link.whole_nanoseconds;  // of all links, or of none
    other.fabric.link.wire_gap_bytes = options.link.wire_gap_bytes;        // so are packets everywhere
    add_fabric(other, i, empty_messages, world);
  }
  if (detours) check_fabrics_beside_detours(routing, others, world.fabric);
  check_dynamic_limits(world.fabric);
  world.routing = {};
  world.routing.detour_class = detours ? kDetourClass : 0;
  if (const std::string problem = problem_of_hashes(options, routing, others); !problem.empty())
    throw ConfigError(problem);
  set_all_policies(routing, others, world.fabric, world.routing);
  world.routing.hash = switch_hashes(options, routing, others, world.fabric);
  if (any_tier(world.routing, &PolicyInfo::weighs_links)) world.routing.link_weight = weights_by_speed(world.fabric);
  begin_stage("the routes");
  build_routes(world.fabric, world.routing);
}

}  // namespace heddle
