// What the ranks of a job do, as other projects write it down: computations, sends, collectives, and what waits for
// what.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/world/collective.hpp"
#include "kernels/world/program.hpp"

namespace heddle {

/// Ranks that do collectives together, one after the other. Of a send the first rank sends to the second.
struct TraceCommunicator {
  Group group = Group::all;
  std::vector<u32> ranks;
};

/// What a rank does: a computation on one of its processors, or its part in the next collective of a communicator.
struct TraceOp {
  bool computes = false;
  TimePs compute_ps = 0;
  u32 processor = 0;  // operations of one follow each other in order
  u32 communicator = 0;
  CollectiveKind kind = CollectiveKind::all_reduce;
  u64 bytes = 0;           // nccl-tests' size
  std::vector<u32> after;  // operations of this rank, earlier in its list, that must be done
  u32 line = 0;            // of the file
};

struct Trace {
  std::string file;
  std::vector<TraceCommunicator> communicators;
  std::vector<std::vector<TraceOp>> ranks;
};

}  // namespace heddle
