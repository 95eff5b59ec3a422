#include "host/check/warnings/imported_buffers.hpp"

#include <fmt/format.h>

#include "host/base/quantity_text.hpp"
#include "host/config/config.hpp"
#include "host/scenario/topology/buffers.hpp"
#include "host/scenario/topology/zone_tiers.hpp"
#include "io/formats/formats.hpp"

namespace heddle {
namespace {

bool has_default(const TierInfo& tier, const FabricOptions& fabric) {
  const BufferOptions &given = buffer_options_of(tier, fabric), defaults = imported_buffer_defaults();
  return given.kind == defaults.kind && given.bytes == defaults.bytes;
}

const char* place_of(Tier tier) {
  return tier == kRtsw ? "next to hosts" : tier == kCtsw ? "one link farther" : "all others";
}

}  // namespace

std::string about_imported_buffers(const Config& config, const World& world) {
  if (find_format("topology.kind", config.fabric.topology.kind) == nullptr || world.fabric.pools.empty()) return "";
  bool present[kMaxTiers] = {};
  for (const Node& node : world.fabric.nodes) present[static_cast<u32>(node.tier)] = true;
  std::string sections;
  for (const Tier tier : {kRtsw, kCtsw, kAtsw}) {
    const TierInfo& info = tier_of(world.fabric, tier);
    if (!present[static_cast<u32>(tier)] || !has_default(info, config.fabric)) continue;
    sections += fmt::format("{}[{}] ({})", sections.empty() ? "" : ", ", info.memory_section, place_of(tier));
  }
  if (sections.empty()) return "";
  return fmt::format(
      "a topology file says nothing of packet memory: its switches have {} each here, shared by their ports, as a chip "
      "of 64 ports of 400G has (Tomahawk 4). Set bytes in {} to what yours have",
      bytes_text(imported_buffer_defaults().bytes), sections);
}

}  // namespace heddle
