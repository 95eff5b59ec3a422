#include "host/scenario/topology/detours.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/error.hpp"
#include "host/scenario/topology/registry.hpp"
#include "kernels/world/fabric_of.hpp"
#include "kernels/world/transport.hpp"

namespace heddle {
namespace {

constexpr std::string_view kKey = "routing.adaptive.detours = \"when_shorter\"", kAdaptive = "adaptive";

bool is_asked_for(const RoutingOptions& routing) {
  return std::ranges::any_of(routing.values, [](const PolicyValue& v) {
    return v.policy->name == kAdaptive && v.parameter->key == "detours" && v.word == "when_shorter";
  });
}

/// The first of these fabrics whose spines are, or what is at their place; the end where there is none.
std::span<const OtherFabricOptions>::iterator find_adaptive(const RoutingOptions& routing,
                                                            std::span<const OtherFabricOptions> others) {
  return std::ranges::find_if(others, [&](const OtherFabricOptions& other) {
    RoutingOptions own = routing;
    own.tiers = other.routing.tiers;
    return own.policy_of(tier_names_of(other.fabric.topology.kind)[1]) == kAdaptive;
  });
}

/// A switch numbers its ports by a bit less where packets take detours.
void check_ports(const GraphInput& fabric) {
  const u32 uplinks = fabric.dimension("uplinks_per_leaf"), spines = fabric.dimension("spines");
  const u32 of_leaf = fabric.dimension("gpus_per_leaf") + uplinks;
  const u32 of_spine =
      fabric.dimension("leaves") * ((uplinks + spines - 1) / spines) + fabric.dimension("global_links_per_spine");
  if (std::max(of_leaf, of_spine) <= kMaxDetourPorts) return;
  throw ConfigError(
      fmt::format("{}: where packets take detours a switch has at most {} ports, and a {} of "
                  "topology.dragonfly_plus has {}; give fewer, or leave the detours out",
                  kKey, kMaxDetourPorts, of_leaf > of_spine ? "leaf" : "spine", std::max(of_leaf, of_spine)));
}

/// The spine by which a packet comes to a third group must have a cable to every other one: then it leaves that group
/// at once, and turns once.
void check_global_links(const GraphInput& fabric) {
  const u32 groups = fabric.dimension("groups"), links = fabric.dimension("global_links_per_spine");
  if (groups < 3) {
    throw ConfigError(
        fmt::format("{}: a detour leads through a third group, and topology.dragonfly_plus.groups = {}; "
                    "give 3 or more, or leave the detours out",
                    kKey, groups));
  }
  if (links >= groups - 1) return check_ports(fabric);
  throw ConfigError(fmt::format(
      "{}: after a detour a packet must find a cable to its destination's group at the spine to which it came, so "
      "every spine needs one to each other group; topology.dragonfly_plus.global_links_per_spine = {}, and "
      "there are {} other groups: give at least as many, or leave the detours out",
      kKey, links, groups - 1));
}

}  // namespace

bool wants_detours(const FabricOptions& options, const RoutingOptions& routing,
                   std::span<const OtherFabricOptions> others) {
  const std::string& kind = options.topology.kind;
  const bool any_adaptive =
      routing.uses(kAdaptive, tier_names_of(kind)) || find_adaptive(routing, others) != others.end();
  if (!is_asked_for(routing) || !any_adaptive) return false;
  if (kind != "dragonfly_plus") {
    throw ConfigError(
        fmt::format("{}: detours lead through a third group of a fabric with topology.kind = "
                    "\"dragonfly_plus\"; here it is \"{}\". Choose that, or leave the detours out",
                    kKey, kind));
  }
  if (routing.policy_of("spine") != kAdaptive) {
    throw ConfigError(
        fmt::format("{}: spines take the detours, and their policy is \"{}\"; set tier.spine.policy = "
                    "\"adaptive\", or leave the detours out",
                    kKey, routing.policy_of("spine")));
  }
  check_global_links({options.topology, options.link, options.leaves});
  return true;
}

void check_fabrics_beside_detours(const RoutingOptions& routing, std::span<const OtherFabricOptions> others,
                                  const Fabric& built) {
  for (const Link& link : built.links) {
    const Tier tier = built.nodes[link.src].tier;
    const u32 fabric = fabric_of_tier(built, tier);
    if (fabric == 0 || tier != built.nodes[link.dst].tier) continue;
    throw ConfigError(fmt::format(
        "{}: fabric \"{}\" has topology.kind = \"{}\", whose packets would change their class, too, as they "
        "go from switch to switch of one tier; choose another kind, or leave the detours out",
        kKey, others[fabric - 1].name, others[fabric - 1].fabric.topology.kind));
  }
  if (const auto other = find_adaptive(routing, others); other != others.end()) {
    throw ConfigError(fmt::format(
        "{}: spines of fabric \"{}\" are adaptive, too, and detours are for the first fabric alone; give them "
        "another policy (fabric.tier.spine.policy)",
        kKey, other->name));
  }
}

void add_detour_class(Fabric& fabric) {
  fabric.classes.resize(kDetourClass);
  fabric.classes.push_back(fabric.classes[kDetouredClass]);
}

}  // namespace heddle
