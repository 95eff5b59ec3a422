// What GPUs do between and around collectives, as plain tables (MODEL.md, 9.12): programs of streams.
#pragma once

#include <vector>

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// Which ranks of a job a communicator joins: all of them, one of its parallel groups, or those that are together in a
/// stage of a composed collective.
enum class Group : u8 { all, tensor, context, pipeline, data, expert, stage };
inline constexpr u32 kGroups = 7;
inline constexpr u8 kNoGroup = 0xff;

enum class OpKind : u8 { compute, collective, wait, entered, finish, delay };

/// One operation of a stream.
struct Op {
  OpKind kind = OpKind::compute;
  u8 group = kNoGroup;  // wait: whose communication the GPU stands still for; kNoGroup: it does not count. delay: whose
                        // communication it stands for
  u16 stream = 0;       // wait: until this stream of the program ...
  u32 n = 0;            // ... has done so many operations in this iteration; collective, entered, finish: of which
                        // communicator
  TimePs ps = 0;        // compute, delay: how long, below kMostComputePs
};
inline constexpr TimePs kMostComputePs = TimePs{1} << 44;  // 17.6 s: times a stretch it fits in 63 bits
inline constexpr u32 kMostStretchQ16 = 8u << 16;

/// Operations that are done one after the other.
struct OpStream {
  u32 first_op = 0, ops = 0;  // in ProgramPlan::ops
};

/// What all GPUs with the same part in a task do.
struct Program {
  u32 first_stream = 0, streams = 0;  // in ProgramPlan::streams
};

/// GPUs that run programs together, the same number of times each.
struct Task {
  u32 job = 0;  // of the configuration
  TimePs start_ps = 0;
  u32 iterations = 1;
  u32 jitter_q16 = 0;  // a computation takes longer by chance: by this part of it at most
  bool trains = true;  // its iterations are results; false: its programs only compose collectives of others
};

/// The program of one GPU; it has one at most.
struct ProgramRun {
  EndpointId gpu = kNone;
  u32 task = 0, program = 0;
  u32 slower_q16 = 0;  // by which part of them its computations take longer
};

struct ProgramPlan {
  std::vector<Op> ops;
  std::vector<OpStream> streams;
  std::vector<Program> programs;
  std::vector<Task> tasks;
  std::vector<ProgramRun> runs;  // by task, then by rank
};

/// Where the iterations of each task begin when those of all are numbered; behind the last their sum.
inline std::vector<u32> first_iterations(const ProgramPlan& plan) {
  std::vector<u32> first{0};
  for (const Task& task : plan.tasks) first.push_back(first.back() + task.iterations);
  return first;
}

/// How long a computation of `ps` takes that is stretched by part of it.
HEDDLE_FN constexpr TimePs stretched_ps(TimePs ps, u32 by_q16) { return ps + ((ps * by_q16) >> 16); }

}  // namespace heddle
