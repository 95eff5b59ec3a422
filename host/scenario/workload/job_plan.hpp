// A job of the configuration with known GPUs, before connections and channel ends are built.
#pragma once

#include <algorithm>
#include <vector>

#include "host/scenario/workload/collective/sequence.hpp"

namespace heddle {

/// A job's communicators, and the plan of each of their sequences.
struct PlannedJob {
  Communicators communicators;
  std::vector<SequencePlan> sequences;

  bool only_all_to_all() const {
    return std::ranges::all_of(sequences, [](const SequencePlan& s) { return s.only_all_to_all(); });
  }
};

/// Plans job `job`, whose GPUs by rank are `gpus`. Adds slice schedules and programs to the World. Throws ConfigError.
PlannedJob plan_job(const JobOptions& options, u32 job, const std::vector<EndpointId>& gpus, World& world);

/// A communicator that runs `sequence`, without collectives and groups so far.
Job job_of(const Communicator& communicator, const Sequence& sequence, u32 job);

}  // namespace heddle
