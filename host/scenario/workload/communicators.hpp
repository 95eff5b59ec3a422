// The collectives of a job's communicators, before connections and channel ends are built.
#pragma once

#include <memory>
#include <vector>

#include "host/scenario/workload/collective/experts.hpp"
#include "host/scenario/workload/job_options.hpp"
#include "kernels/world/collective.hpp"
#include "kernels/world/program.hpp"

namespace heddle {

/// A kernel of its own, or one of the collectives that one kernel runs: it is launched with the first of them.
enum class KernelPart : u8 { whole, first, later };

/// One collective, `repeat` times.
struct CollectiveCall {
  CollectiveKind kind;
  u64 bytes;  // size as in nccl-tests; all_to_all_v: what the busiest rank sends or receives; tokens: counted_bytes
  TimePs start_ps = 0;
  u32 repeat = 1;
  std::shared_ptr<const PlainByteMatrix> matrix = nullptr;  // all_to_all_v
  std::shared_ptr<const TokenTraffic> tokens = nullptr;     // dispatch, combine
  KernelPart part = KernelPart::whole;
  bool operator==(const CollectiveCall&) const = default;
};

/// The collectives of communicators that are alike: all of them have as many ranks, as many in each server.
struct Sequence {
  JobOptions options;  // gpus: ranks; gpus_per_server: ranks in each server
  std::vector<CollectiveCall> calls;
  u32 rounds = 1;  // repetitions of the whole list
};

struct Communicator {
  u32 sequence = 0;  // index in Communicators::sequences
  Group group = Group::all;
  bool by_program = false;
  bool composed = false;  // some of its collectives are composed of those of others
  std::vector<EndpointId> ranks = {};
};

/// The communicators of one job of the configuration.
struct Communicators {
  std::vector<Sequence> sequences;
  std::vector<Communicator> all;
};

/// What the busiest rank of an all-to-all-v sends or receives: the size by which its time is judged.
u64 bytes_of_busiest(const PlainByteMatrix& matrix);

/// How many of a communicator's ranks are in each server, consecutively; 0: not the same number in each.
u32 ranks_in_each_server(const std::vector<EndpointId>& gpus, u32 gpus_per_server);

/// Adds a program of these streams. Returns its number.
u32 add_program(const std::vector<std::vector<Op>>& streams, ProgramPlan& programs);

}  // namespace heddle
