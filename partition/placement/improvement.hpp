// Improves a division of servers until no small change makes it better.
#pragma once

#include <span>
#include <vector>

#include "partition/placement/division.hpp"

namespace heddle {

/// Moves vertices from parts that exceed their room to parts with room, those with the least loss first.
void make_fit(const ServerGraph& graph, std::span<const u32> room, std::vector<u32>& part_of_vertex);

/// Moves vertices, and exchanges two of them, while that reduces the weight between parts. Parts stay within their
/// room. Ends after work of about a second.
void improve(const ServerGraph& graph, std::span<const u32> room, std::vector<u32>& part_of_vertex);

}  // namespace heddle
