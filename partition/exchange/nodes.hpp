// The ranks that share a machine, and so memory.
#pragma once

#include <mpi.h>

#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// For tests on one machine: a node is this number of consecutive ranks (0: all of them), or, dealt out, ranks in turn.
struct PretendedNodes {
  u32 ranks_per_node = 0;
  bool dealt_out = false;
};

/// Ranks of a communicator by node. Nodes are numbered by their lowest rank, alike on all ranks.
class Nodes {
 public:
  /// To be called by all ranks of `comm`.
  explicit Nodes(MPI_Comm comm, PretendedNodes pretended = {});
  ~Nodes();
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;

  u32 count() const { return static_cast<u32>(ranks_.size()); }
  /// The communicator of this rank's node, which has the places 0, 1, ... in order of ranks.
  MPI_Comm comm() const { return comm_; }
  /// The communicator of the first rank of every node; MPI_COMM_NULL at the others.
  MPI_Comm firsts() const { return firsts_; }
  u32 own() const { return own_; }
  u32 place() const { return place_; }
  u32 places() const { return static_cast<u32>(ranks_[own_].size()); }

  u32 node_of(u32 rank) const { return node_of_[rank]; }
  u32 place_of(u32 rank) const { return place_of_[rank]; }
  /// The rank of `node` that relays the messages of `peer`. Peers are dealt out over its ranks, the first rank last, as
  /// it has the most other work.
  u32 relay(u32 node, u32 peer) const {
    const std::vector<u32>& ranks = ranks_[node];
    const std::size_t number = peer < node ? peer : peer - 1;  // number among the other nodes
    return ranks[ranks.size() - 1 - number % ranks.size()];
  }
  /// The largest number of ranks of a node.
  u32 max_places() const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL, firsts_ = MPI_COMM_NULL;
  u32 own_ = 0, place_ = 0;
  std::vector<u32> node_of_, place_of_;  // by rank
  std::vector<std::vector<u32>> ranks_;  // by node, ascending
};

}  // namespace heddle
