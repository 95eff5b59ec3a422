// The World as one process holds it: its arrays, and the mapping to the World's numbers.
#pragma once

#include <vector>

#include "kernels/state/arrays.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Links between this part and that of another rank, in ascending order of their numbers in the World.
struct Neighbour {
  u32 rank = 0;
  std::vector<u32> out;  // local numbers of this part's links to its nodes
  std::vector<u32> in;   // its links to this part's nodes: ghosts, numbered after this part's links
};

/// The instantiated World, or a part of it, and the mapping to the World's numbers.
struct Model {
  Arrays arrays;
  View view;
  std::vector<u32> local_node;           // [global node] kNone: in another part that is no neighbour
  std::vector<u32> local_link;           // [global link] kNone: neither from nor to this part
  std::vector<u32> local_endpoint;       // [global endpoint] kNone: in another part
  std::vector<u32> global_link;          // [local link, ghosts too]
  u32 ghost_nodes = 0, ghost_links = 0;  // numbered after view.nodes and view.links
  std::vector<Neighbour> neighbours;     // by rank
  u32 all_links() const { return view.links + ghost_links; }
  u32 max_switch_ports = 0;
  u64 messages = 0;        // of the World: each log holds the events of this part
  u64 messages_sent = 0;   // by endpoints of this part
  u32 collectives = 0;     // of the World: each log holds the events of this part
  u64 rank_finishes = 0;   // ranks x collectives that must finish in this part
  u32 iterations = 0;      // of all tasks of the World
  u64 iteration_ends = 0;  // GPUs x iterations that must end in this part
  Use use = Use::all;      // of the state of queue pairs and channel ends
  u64 used_bytes = 0;      // bytes of sparse arrays used from the start: entries of tables
};

}  // namespace heddle
