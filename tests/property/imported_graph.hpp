// Random graphs of hosts and switches in HPCC's topology.txt, optionally with a different speed and length of every
// link, and random explicit paths through them.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle::property {

struct ImportedGraph {
  struct Cable {
    u32 a = 0, b = 0;
    u64 bits_per_s = 0, delay_ps = 0;
  };
  std::vector<u32> hosts, switches;  // node ids of the file, in any order
  std::vector<Cable> cables;         // the first ones are the hosts', in order of `hosts`

  u32 nodes() const { return static_cast<u32>(hosts.size() + switches.size()); }
  /// Ports of the switch that has the most.
  u32 max_ports() const;
};

/// Draws 2 to 10 hosts on 1 to 6 switches, connected, often with cycles and parallel cables. No host link is slower
/// than `host_bits_per_s`.
ImportedGraph draw_graph(u64 seed, u64 host_bits_per_s);

/// Returns the graph as topology.txt.
std::string topology_text(const ImportedGraph& graph);

/// Returns a paths file: a random path without repeated nodes for every ordered pair of hosts, there and back.
std::string paths_text(const ImportedGraph& graph, u64 seed);

}  // namespace heddle::property
