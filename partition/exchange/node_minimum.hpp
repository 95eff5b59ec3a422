// The minimum of every word over all ranks: in the memory of each node, then between nodes.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "partition/exchange/nodes.hpp"
#include "partition/exchange/shared_counters.hpp"

namespace heddle {

/// One minimum at a time: begin(), end(), begin(), ... At most MinimumOf::kMaxWords words.
class NodeMinimum {
 public:
  /// The arguments must outlive the object.
  NodeMinimum(MPI_Comm comm, const Nodes& nodes, const SharedCounters& counters)
      : comm_(comm), nodes_(nodes), counters_(counters) {}
  /// With several nodes, the first rank of each waits for the other ranks of its node.
  void begin(std::span<const i64> words);
  std::vector<i64> end();

 private:
  MinimumOf of_node() const;

  MPI_Comm comm_;
  const Nodes& nodes_;
  const SharedCounters& counters_;
  u64 search_ = 0;  // the current minimum; the first is 1
  u64 words_ = 0;
  MinimumOf mine_{}, minimum_{};
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace heddle
