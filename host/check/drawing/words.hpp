// The words of a picture of a fabric: what stands in boxes, beside tiers, between them, and below groups left out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/check/drawing/summary.hpp"

namespace heddle::drawing {

/// "24,576".
std::string count_text(u64 count);

/// "32 leaves".
std::string nodes_text(const TierInfo& info, u64 nodes);

/// The lines of a box from the top: "18 x 400G up", "32 RTSWs", "16 x 400G down". `bold`: which of them names the
/// nodes.
struct BoxText {
  std::vector<std::string> lines;
  size_t bold = 0;
};

/// Of nodes of one tier; several kinds have ranges: "2 to 5 x 400G up".
BoxText box_text(const FabricSummary& fabric, std::span<const NodesAlike> kinds);

/// "18 CTSWs", "230.4 Tb/s down, 204.8 Tb/s up", "down : up = 1.125 : 1"; the last where a tier has both.
std::vector<std::string> tier_text(const FabricSummary& fabric, Tier tier);

/// Whether a tier has more capacity down than up, and some up.
bool is_oversubscribed(const TierSummary& tier);

/// "576 cables of 400G", "each RTSW to each of 18 CTSWs", "of its zone, by 2 cables".
std::vector<std::string> layer_text(const FabricSummary& fabric, const LayerSummary& layer);

/// "512 endpoints, 50 switches, 1,088 cables; 2 pods of 4 units".
std::string sizes_text(const FabricSummary& fabric);

/// What stands between groups `shown` and the last one: "5 more", "like these" or "not all alike".
std::vector<std::string> hidden_text(const Group& parent, size_t shown);

/// All that the picture shows, in sentences, for readers who do not see it.
std::string description_text(const FabricSummary& fabric);

}  // namespace heddle::drawing
