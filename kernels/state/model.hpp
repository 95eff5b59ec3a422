// The World as one process holds it: its arrays, and the numbers that lead back to the World.
#pragma once

#include <vector>

#include "kernels/state/arrays.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Links between this part and that of another rank, in ascending order of their numbers in the World.
struct Neighbour {
  u32 rank = 0;
  std::vector<u32> out;  // local numbers of our links to its nodes
  std::vector<u32> in;   // of its links to our nodes: ghosts, which are numbered after our own
};

/// The instantiated World, or a part of it, and the numbers that lead back to it.
struct Model {
  Arrays arrays;
  View view;
  std::vector<u32> local_node;           // [global node] kNone: of another part, and no neighbour
  std::vector<u32> local_link;           // [global link] kNone: none of ours, and not coming in
  std::vector<u32> local_endpoint;       // [global endpoint] kNone: of another part
  std::vector<u32> global_link;          // [local link, ghosts too]
  u32 ghost_nodes = 0, ghost_links = 0;  // numbered after view.nodes and view.links
  std::vector<Neighbour> neighbours;     // by rank
  u32 all_links() const { return view.links + ghost_links; }
  u32 max_switch_ports = 0;
  u64 messages = 0;        // of the World: of each, as much is logged here as happens here
  u64 messages_sent = 0;   // from here
  u32 collectives = 0;     // of the World; likewise
  u64 rank_finishes = 0;   // ranks x collectives that must finish here
  u32 iterations = 0;      // of all tasks of the World
  u64 iteration_ends = 0;  // GPUs x iterations that must end here
  Use use = Use::all;      // of the state of queue pairs and channel ends
  u64 used_bytes = 0;      // of sparse arrays from the start: by what is in tables
};

}  // namespace heddle
