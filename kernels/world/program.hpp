// The work of GPUs between and around collectives, as plain tables (MODEL.md, 9.12): programs of streams.
#pragma once

#include <vector>

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// The ranks of a job in a communicator: all of them, one of its parallel groups, or the ranks of a stage of a composed
/// collective.
enum class Group : u8 { all, tensor, context, pipeline, data, expert, stage };
inline constexpr u32 kGroups = 7;
inline constexpr u8 kNoGroup = 0xff;

enum class OpKind : u8 { compute, collective, wait, entered, finish, delay };

/// One operation of a stream.
struct Op {
  OpKind kind = OpKind::compute;
  u8 group = kNoGroup;  // wait: group whose communication the GPU waits for; kNoGroup: the wait is not counted. delay:
                        // group whose communication it stands for
  u16 stream = 0;       // wait: for this stream of the program ...
  u32 n = 0;            // ... to complete this many operations of the iteration; collective, entered, finish: number of
                        // the communicator
  TimePs ps = 0;        // compute, delay: duration, below kMaxComputePs
};
inline constexpr TimePs kMaxComputePs = TimePs{1} << 44;  // 17.6 s: multiplied by a stretch it fits 63 bits
inline constexpr u32 kMaxStretchQ16 = 8u << 16;

/// Operations that run one after the other.
struct OpStream {
  u32 first_op = 0, ops = 0;  // in ProgramPlan::ops
};

/// The program of all GPUs with the same part in a task.
struct Program {
  u32 first_stream = 0, streams = 0;  // in ProgramPlan::streams
};

/// GPUs that run programs together, the same number of times each.
struct Task {
  u32 job = 0;  // job of the configuration
  TimePs start_ps = 0;
  u32 iterations = 1;
  u32 jitter_q16 = 0;  // a computation takes longer by chance, by up to this fraction
  bool trains = true;  // its iterations are results; false: its programs only compose collectives
};

/// The program of one GPU; a GPU has at most one.
struct ProgramRun {
  EndpointId gpu = kNone;
  u32 task = 0, program = 0;
  u32 slower_q16 = 0;  // fraction by which its computations take longer
};

struct ProgramPlan {
  std::vector<Op> ops;
  std::vector<OpStream> streams;
  std::vector<Program> programs;
  std::vector<Task> tasks;
  std::vector<ProgramRun> runs;  // by task, then by rank
};

/// Index of the first iteration of each task when all tasks' iterations are numbered; the last element is their sum.
inline std::vector<u32> first_iterations(const ProgramPlan& plan) {
  std::vector<u32> first{0};
  for (const Task& task : plan.tasks) first.push_back(first.back() + task.iterations);
  return first;
}

/// Duration of a computation of `ps` that is stretched by a fraction.
HEDDLE_FN constexpr TimePs stretched_ps(TimePs ps, u32 by_q16) { return ps + ((ps * by_q16) >> 16); }

}  // namespace heddle
