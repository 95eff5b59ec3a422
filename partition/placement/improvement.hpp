// A division of servers is changed until no small change makes it better.
#pragma once

#include <span>
#include <vector>

#include "partition/placement/division.hpp"

namespace heddle {

/// Vertices of parts beyond their room go where there is some, those first that lose least.
void make_fit(const ServerGraph& graph, std::span<const u32> room, std::vector<u32>& part_of_vertex);

/// Moves vertices, and exchanges two of them, while that leaves less between parts. Parts keep to their room. Ends
/// after so much work that it takes about a second.
void improve(const ServerGraph& graph, std::span<const u32> room, std::vector<u32>& part_of_vertex);

}  // namespace heddle
