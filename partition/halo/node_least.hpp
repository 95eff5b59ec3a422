// The least of words over all ranks: in the memory of each node, then between the nodes.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "partition/halo/board.hpp"
#include "partition/halo/nodes.hpp"

namespace heddle {

/// One search at a time: begin(), end(), begin(), ... At most Offer::kMost words.
class NodeLeast {
 public:
  /// All must outlive it.
  NodeLeast(MPI_Comm comm, const Nodes& nodes, const Board& board) : comm_(comm), nodes_(nodes), board_(board) {}
  /// The first rank of a node waits for the others there, where there are other nodes.
  void begin(std::span<const i64> words);
  std::vector<i64> end();

 private:
  Offer of_node() const;

  MPI_Comm comm_;
  const Nodes& nodes_;
  const Board& board_;
  u64 search_ = 0;  // the current one; the first is 1
  u64 words_ = 0;
  Offer mine_{}, least_{};
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace heddle
