// Which nodes go through several ticks before others hear of them, and which worker begins with which.
//
// A rack and its endpoints tell others only by cables to spines, which take longer than a tick. So a worker takes them
// through all ticks that these cables allow, a span, while their state is in its core's caches: there is one barrier a
// span, and each node hears of other clusters once a span.
#pragma once

#include <span>
#include <vector>

#include "kernels/expand/options.hpp"
#include "kernels/state/model.hpp"

namespace heddle {

/// A core's caches hold so many nodes, some 10 KB each. In larger clusters a node's state does not stay there for its
/// next tick.
inline constexpr u32 kMostClusterNodes = 320;

/// Switches, and words of endpoints' news (View::endpoint_news) with whose endpoints they are.
struct Cluster {
  std::span<const u32> switches, groups;
};

struct Clusters {
  u32 span_ticks = 1;                          // 1: a cluster is one word of endpoints, and switches are alone
  std::vector<u32> switches, groups;           // by cluster
  std::vector<u32> first_switch, first_group;  // [clusters + 1] places in these
  std::vector<u32> first_cluster;              // [workers + 1] of those that worker w begins with
  std::vector<u32> alone;                      // switches that are in no cluster, by worker
  std::vector<u32> first_alone;                // [workers + 1] places in `alone`
  std::vector<u64> near_ports;                 // [port words] a bit each: the cable stays in a cluster

  u32 count() const { return static_cast<u32>(first_switch.size()) - 1; }
  Cluster operator[](u32 i) const {
    return {{switches.data() + first_switch[i], switches.data() + first_switch[i + 1]},
            {groups.data() + first_group[i], groups.data() + first_group[i + 1]}};
  }
};

/// Clusters in even shares, in the order of their endpoints; a lone switch with its endpoints, as they tell each other
/// most, others in even shares. A span has options.most_span_ticks at most, and only one tick where clusters would be
/// too large, or too few to share (tests that share every tick share these, too). As one word of endpoints is one
/// worker's, racks whose endpoints share words are in one cluster: four of 24, 40 or 72 endpoints are.
Clusters clusters_of(const Model& model, const EngineOptions& options, TimePs tick_ps);

}  // namespace heddle
