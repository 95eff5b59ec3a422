// The work of GPUs between and around collectives, as plain tables (MODEL.md, 9.12): programs of streams.
#pragma once

#include <vector>

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// The ranks of a job in a communicator: all of them, one of its parallel groups, or the ranks of a stage of a composed
/// collective. Storage is no group of ranks: GPUs wait for it, too.
enum class Group : u8 { all, tensor, context, pipeline, data, expert, stage, storage };
inline constexpr u32 kGroups = 8;
inline constexpr u8 kNoGroup = 0xff;

enum class OpKind : u8 { compute, collective, wait, entered, finish, delay, post, written };

/// Batches of a run that are handed over one after the other. Those of one series do not wait for those of another.
enum class BatchSeries : u8 { checkpoints, loads };
inline constexpr u32 kBatchSeries = 2;

/// One operation of a stream.
struct Op {
  OpKind kind = OpKind::compute;
  u8 group = kNoGroup;  // wait: group whose communication the GPU waits for; kNoGroup: the wait is not counted. delay:
                        // group whose communication it stands for
  u16 stream = 0;       // wait: for this stream of the program ...; post, written: the series of batches
  u32 n = 0;            // ... to complete this many operations of the iteration; collective, entered, finish: number of
                        // the communicator; delay, post, written: see takes_place()
  TimePs ps = 0;        // compute, delay: duration, below kMaxComputePs
};
inline constexpr TimePs kMaxComputePs = TimePs{1} << 44;  // 17.6 s: multiplied by a stretch it fits 63 bits
inline constexpr u32 kMaxStretchQ16 = 8u << 16;

/// Whether a delay, a post or a `written` takes place in an iteration, counted from 0: in every n-th one, or in all for
/// n = 0. Elsewhere it is done at once.
HEDDLE_FN constexpr bool takes_place(const Op& op, u32 iteration) { return op.n == 0 || (iteration + 1) % op.n == 0; }

/// Whether a post or a `written` is about batches of a series.
constexpr bool is_of(const Op& op, BatchSeries series) { return op.stream == static_cast<u16>(series); }

/// Whether an operation stands for communication among GPUs that is not simulated; a delay may also be a copy of a
/// checkpoint.
constexpr bool stands_for_communication(const Op& op) {
  return op.kind == OpKind::delay && op.group != static_cast<u8>(Group::storage);
}

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

/// A stretch of ProgramPlan::batches.
struct BatchRange {
  u32 first = 0, count = 0;
};

/// The program of one GPU; a GPU has at most one.
struct ProgramRun {
  EndpointId gpu = kNone;
  u32 task = 0, program = 0;
  u32 slower_q16 = 0;                // fraction by which its computations take longer
  EndpointId helper = kNone;         // sends its messages: the GPU itself or another endpoint of its server
  u32 first_batch = 0, batches = 0;  // in ProgramPlan::batches, by series, in the order in which they are handed over
  u32 loads = 0;                     // so many of them, the last ones, are of BatchSeries::loads

  BatchRange series(BatchSeries of) const {
    if (of == BatchSeries::loads) return {first_batch + batches - loads, loads};
    return {first_batch, batches - loads};
  }
};

/// Messages that a program has posted at once (MODEL.md, 9.14), all sent by its helper; and those that the helper sends
/// or receives, of which it awaits the end.
struct Batch {
  u32 first_posted = 0, posted = 0;    // in ProgramPlan::posted
  u32 first_awaited = 0, awaited = 0;  // in ProgramPlan::awaited
};

/// A message of which a batch awaits the end: that it has been received, or acknowledged in full.
struct AwaitedMessage {
  u32 message = 0;  // in Traffic::messages
  bool received = false;
};

struct ProgramPlan {
  std::vector<Op> ops;
  std::vector<OpStream> streams;
  std::vector<Program> programs;
  std::vector<Task> tasks;
  std::vector<ProgramRun> runs;  // by task, then by rank
  TimePs handover_ps = 0;        // between a GPU and its helper, in both directions
  std::vector<Batch> batches;    // by run
  std::vector<u32> posted;       // in Traffic::messages; each message once
  std::vector<AwaitedMessage> awaited;
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
