#include "host/scenario/topology/queue_limits.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"
#include "host/scenario/topology/buffers.hpp"
#include "io/units.hpp"
#include "kernels/world/fabric_of.hpp"
#include "kernels/world/fabric_parameters.hpp"

namespace heddle {
namespace {

/// A switch whose ports own their memory.
struct StaticSwitch {
  NodeId node = kNone;  // kNone: there is none
  u64 port_bytes = 0;
};

/// The first one.
StaticSwitch first_static_switch(const FabricOptions& options, std::span<const OtherFabricOptions> others,
                                 const Fabric& fabric) {
  for (NodeId node = fabric.endpoints; node < fabric.nodes.size(); ++node) {
    const u32 number = fabric_of_tier(fabric, fabric.nodes[node].tier);
    const FabricOptions& of_fabric = number == 0 ? options : others[number - 1].fabric;
    const BufferOptions& buffer = buffer_options_of(tier_of(fabric, node), of_fabric);
    if (buffer.kind == "static") return {node, buffer.bytes};
  }
  return {};
}

}  // namespace

void check_queue_limits(const FabricOptions& options, std::span<const OtherFabricOptions> others, const World& world) {
  const Fabric& fabric = world.fabric;
  const auto [node, port_bytes] = first_static_switch(options, others, fabric);
  if (node == kNone) return;
  const std::vector<bool> used = classes_with_data(world);
  for (u32 c = 0; c < std::min(used.size(), kClassNames.size()); ++c) {
    const TrafficClass& tc = fabric.classes[c];
    if (!used[c] || tc.pfc || tc.limit_bytes != 0) continue;
    const TierInfo& tier = tier_of(fabric, node);
    throw ConfigError(fmt::format(
        "class.{0}.limit: 0 B, which is none, but at {1} every port owns its memory ({2}.kind = \"static\") and a "
        "class without PFC is bounded there by its limit alone{3}: its queues would grow beyond {2}.bytes and nothing "
        "would be dropped; give class.{0}.limit, the bytes of an egress queue, at most the port's {4}",
        kClassNames[c], fabric.names[node], tier.memory_section,
        tc.limit_alpha_q16 != 0 ? " (limit_alpha acts where memory is shared)" : "",
        format_quantity(static_cast<i64>(port_bytes), Quantity::bytes)));
  }
}

}  // namespace heddle
