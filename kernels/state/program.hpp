// State of the programs of GPUs (MODEL.md, 9.12).
#pragma once

#include "kernels/outcome/collective.hpp"
#include "kernels/world/program.hpp"

namespace heddle {

/// The program of a local endpoint.
struct GpuProgram {
  u32 program = kNone;  // kNone: no program
  u32 task = 0;
  u32 slower_q16 = 0;
  u32 first_stream = 0;  // in Programs::stream
  u32 first_member = 0;  // in Programs::member
  u32 helper = kNone;    // local endpoint
  BatchRange series[kBatchSeries];
};

/// A stream and its current operation.
struct StreamState {
  u32 done = 0;        // operations done in this iteration
  bool begun = false;  // whether the next operation has begun
  u32 target = 0;      // collective: done when the rank has finished this many
  TimePs when_ps = 0;  // compute: end of the computation; wait: when it became exposed
};

struct ProgramState {
  u32 iteration = 0;
  bool begun = false;
  u32 computing = 0;               // computations in progress
  TimePs compute_ps = 0;           // in this iteration
  TimePs waited_ps[kGroups] = {};  // in this iteration
  // by series: batches handed over; so many of them, the first ones, are known to have ended
  u32 posted[kBatchSeries] = {}, ended[kBatchSeries] = {};
};

struct Programs {
  u32 tasks = 0;
  const Op* op = nullptr;
  const OpStream* op_stream = nullptr;
  const Program* program = nullptr;
  const Task* task = nullptr;
  const u32* first_iteration = nullptr;  // [tasks + 1]
  const GpuProgram* gpu = nullptr;       // [endpoints], only with tasks
  const u32* member = nullptr;           // [by endpoint, communicator of its program] index in Collectives::member
  StreamState* stream = nullptr;
  ProgramState* state = nullptr;    // [endpoints]
  IterationOutcome* log = nullptr;  // [iterations of all tasks]
  TimePs handover_ps = 0;
  // [batches of all runs] when its helper takes it, kNever: not handed over yet; when it has ended:
  // MessageWaits::posted_ps
  TimePs* handed_ps = nullptr;
  const u32* first_client = nullptr;  // [endpoints + 1], only with batches
  const u32* client = nullptr;        // by helper: kBatchSeries * local endpoint of a GPU that it helps + series
  u32* taken = nullptr;               // [clients] batches that the helper has taken

  HEDDLE_FN BatchRange series_of_client(u32 c) const {
    return gpu[client[c] / kBatchSeries].series[client[c] % kBatchSeries];
  }
};

}  // namespace heddle
