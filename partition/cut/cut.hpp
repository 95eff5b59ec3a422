// The division of a World over ranks, and its cost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/engine/engine.hpp"
#include "kernels/world/world.hpp"
#include "partition/cut/exchange_period.hpp"

namespace heddle {

/// The load of one rank.
struct RankLoad {
  u32 nodes = 0, endpoints = 0;
  u64 work_parts = 0;  // expected work, in 1/256 of a packet-hop (graph.hpp)
  u64 cut_links = 0;   // directed links from this rank to another
};

/// Links between two ranks, both directions together.
struct RankPair {
  u32 a = 0, b = 0;      // a < b
  u64 links = 0;         // directed
  u64 packet_parts = 0;  // expected packets, in 1/256
};

struct Cut {
  std::string policy;
  u32 ranks = 0;
  u32 vertices = 0;               // racks and other switches, which are not divided
  std::vector<u32> rank_of_node;  // [node]
  std::vector<RankLoad> load;     // [rank]
  std::vector<RankPair> pairs;    // pairs with links between them, ordered by (a, b)
  u64 cut_links = 0;              // directed
  u64 cut_packet_parts = 0;       // expected on cut links; a packet counts once per cut link on its path
  u64 all_packet_parts = 0;       // expected on all links
  ExchangePeriod exchange;
  bool uniform = false;  // the workload gives too little information: all links count as equally busy

  /// The largest work of a rank over the mean; 1 is even.
  double balance() const;
  /// The share of packet-hops over cut links; 0 when nothing is cut.
  double cut_share() const;
  /// The part for the engine of a rank (EngineOptions::part).
  Part part(u32 rank) const;
  std::vector<Part> parts() const;  // [rank]
};

/// Cuts a finished World (routes valid, clocks chosen) by the policy called `policy`. A pure function: every rank that
/// calls it with an equal World gets an equal Cut. Throws std::invalid_argument when the cut is impossible: an unknown
/// policy, 0 ranks, more ranks than racks and other switches, routes that lead nowhere, a cut link of 1 ps.
Cut cut_world(const World& world, std::string_view policy, u32 ranks);

}  // namespace heddle
