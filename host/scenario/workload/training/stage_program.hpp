// The program of the GPUs of one pipeline stage in an iteration.
#pragma once

#include <optional>

#include "host/scenario/workload/training/division.hpp"
#include "host/scenario/workload/training/streams.hpp"
#include "host/scenario/workload/training/transformer.hpp"

namespace heddle {

/// The values of a training job that its stages share.
struct TrainingPlan {
  const TrainingOptions& options;
  Transformer model;
  Division division;
  std::vector<u32> layers;  // [chunk of the pipeline]
  u32 job = 0;              // index in the configuration, for errors

  /// Ranks with the same parameters: data-parallel ones, and those of a sequence's parts.
  u32 data_ranks() const { return division.replicas(); }
  u32 expert_data_ranks() const { return data_ranks() / division.experts; }
};

/// The numbers of a GPU's communicators by purpose; none: the group has no other rank.
struct StageCommunicators {
  std::optional<u32> tensor, context, data, expert, expert_data;
  std::optional<u32> forward_in, forward_out, backward_in, backward_out;
  std::vector<Group> groups;  // [communicator]
  std::vector<Group> timed;   // groups whose communication takes given times
};

/// The communicators of a stage, numbered in the order in which a job's communicators are made (training.cpp).
StageCommunicators communicators_of_stage(const TrainingPlan& plan, u32 stage);

/// `loads`: of GPUs that read the data. Throws ConfigError: a computation that takes too long.
StreamWriter write_stage(const TrainingPlan& plan, u32 stage, bool loads);

}  // namespace heddle
