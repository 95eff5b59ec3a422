// The ways to cut a graph, by name. A new one is a file with one function of this shape and one line in policies.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partition/cut/graph.hpp"

namespace heddle {

/// The rank of every vertex, for 2 <= ranks <= vertices. Every rank must get at least one. Equal input, equal result.
using CutPolicy = std::vector<u32> (*)(const CutGraph& graph, u32 ranks);

/// The names of the policies.
std::vector<std::string> policy_names();

/// The ranks of all vertices by the policy called `name`. A single rank takes all, whatever the policy. Throws
/// std::invalid_argument when there is no such policy, for 0 ranks, and for more ranks than vertices.
std::vector<u32> divide(const CutGraph& graph, std::string_view name, u32 ranks);

std::vector<u32> divide_by_metis(const CutGraph& graph, u32 ranks);
std::vector<u32> divide_in_blocks(const CutGraph& graph, u32 ranks);

}  // namespace heddle
