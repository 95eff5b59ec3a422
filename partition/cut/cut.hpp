// A World divided over ranks, and what that costs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/engine/engine.hpp"
#include "kernels/world/world.hpp"
#include "partition/cut/exchange_period.hpp"

namespace heddle {

/// What one rank holds.
struct RankLoad {
  u32 nodes = 0, endpoints = 0;
  u64 work_parts = 0;  // expected work, in 1/256 of a packet-hop (graph.hpp)
  u64 cut_links = 0;   // directed links that leave it for another rank
};

/// Links between two ranks, both directions together.
struct RankPair {
  u32 a = 0, b = 0;      // a < b
  u64 links = 0;         // directed
  u64 packet_parts = 0;  // expected, in 1/256 of a packet
};

struct Cut {
  std::string policy;
  u32 ranks = 0;
  u32 vertices = 0;               // racks and other switches, which stay whole
  std::vector<u32> rank_of_node;  // [node]
  std::vector<RankLoad> load;     // [rank]
  std::vector<RankPair> pairs;    // with links between them, ordered by (a, b)
  u64 cut_links = 0;              // directed
  u64 cut_packet_parts = 0;       // expected on cut links; a packet counts once per cut link on its way
  u64 all_packet_parts = 0;       // expected on all links
  ExchangePeriod exchange;
  bool uniform = false;  // the workload says too little: all links were taken to be equally busy

  /// Most work of a rank over the mean; 1 is even.
  double balance() const;
  /// Packet-hops over cut links, of all; 0 when nothing is cut.
  double cut_share() const;
  /// What the engine of a rank is told (EngineOptions::part).
  Part part(u32 rank) const;
  std::vector<Part> parts() const;  // [rank]
};

/// Cuts a finished World (routes valid, clocks chosen) by the policy called `policy`. A pure function: every rank that
/// calls it with an equal World gets an equal Cut. Throws std::invalid_argument for what cannot be cut so: an unknown
/// policy, 0 ranks, more ranks than racks and other switches, routes that lead nowhere, a cut link
/// of 1 ps.
Cut cut_world(const World& world, std::string_view policy, u32 ranks);

}  // namespace heddle
