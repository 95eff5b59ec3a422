// What the ranks of a job do, as other projects write it down: computations, sends, collectives, and what waits for
// what.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/world/collective.hpp"
#include "kernels/world/program.hpp"

namespace heddle {

/// Ranks that do collectives together, one after the other: ascending, or two of which the first sends to the second.
struct TraceCommunicator {
  Group group = Group::all;
  std::vector<u32> ranks;
};

/// When an operation is done for what waits for it in its rank.
enum class DoneWhen : u8 {
  finished,  // a computation, a collective, a send that waits for its recv or for the way of the data
  posted,    // an eager send: handed over as soon as what it waits for is done, whether or not anybody receives
  arrived    // the recv of a send that does not wait for it: the data has come and what the recv waits for is done
};

/// What a rank does: a computation on one of its processors, or its part in the next collective of a communicator.
struct TraceOp {
  bool computes = false;
  TimePs compute_ps = 0;
  u32 processor = 0;     // operations of one follow each other in order
  u32 communicator = 0;  // which of its rank's communicators
  CollectiveKind kind = CollectiveKind::all_reduce;
  u64 bytes = 0;  // nccl-tests' size
  DoneWhen done = DoneWhen::finished;
  std::vector<u32>
      after;  // operations of this rank that must be done, earlier in its list; but an eager send may stand
              // behind what waits for it, and a recv of data that comes on its own before what it waits for
};

struct TraceRank {
  u32 program = 0;                 // in Trace::programs; ranks that do the same share one
  std::vector<u32> communicators;  // in Trace::communicators, ascending; of the same groups for all ranks of a program
};

struct Trace {
  std::string file;
  std::vector<TraceCommunicator> communicators;
  std::vector<std::vector<TraceOp>> programs;
  std::vector<TraceRank> ranks;
  std::vector<std::string> notes = {};  // what a reader of the file should be told of what was made of it

  const std::vector<TraceOp>& ops(u32 rank) const { return programs[ranks[rank].program]; }
};

}  // namespace heddle
