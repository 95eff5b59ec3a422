// The texts of a picture beside what is drawn: its heading, and what tiers and cables are.
#pragma once

#include <string>
#include <vector>

#include "host/check/drawing/labels.hpp"
#include "host/check/drawing/summary.hpp"

namespace heddle::drawing {

inline constexpr i32 kMargin = 24, kTitleHeight = 64, kLineHeight = 16;
inline constexpr u32 kHeadSize = 15;

/// At the top left: the title, and how large the fabric is.
std::vector<Label> heading_labels(const FabricSummary& fabric, const std::string& title);

/// The name of a tier and its capacities, from y down.
std::vector<Label> tier_labels(const FabricSummary& fabric, Tier tier, i32 y);

/// Which cables begin in this tier and lead up or across.
std::vector<std::string> cable_lines(const FabricSummary& fabric, Tier low);

/// Faint lines from y down.
std::vector<Label> faint_labels(const std::vector<std::string>& lines, i32 y);

i32 right_of(const std::vector<Label>& labels);

/// The tiers that have nodes, the highest first.
std::vector<Tier> tiers_from_top(const FabricSummary& fabric);

}  // namespace heddle::drawing
