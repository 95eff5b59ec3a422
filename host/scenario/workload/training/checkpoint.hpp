// The checkpoints of a training job: what its programs do for them, and the messages that they post (MODEL.md, 9.14).
#pragma once

#include <span>

#include "host/scenario/workload/training/stage_program.hpp"

namespace heddle {

class TrafficBuilder;
struct JobOptions;
struct World;

/// How many bytes a GPU of the job writes, without redundancy.
u64 checkpoint_bytes(const TrainingCheckpointOptions& options, const Transformer& model, u32 gpus);

/// What a GPU does for it behind an iteration. Throws ConfigError: a copy that takes too long.
std::vector<Op> checkpoint_operations(const TrainingPlan& plan);

/// Adds the messages of all checkpoints of a job, and the batches in which its programs post them, to the last runs of
/// `world`, which are those of its GPUs; `jobs`: the GPUs of all. Throws ConfigError, which begins with
/// job[N].training.checkpoint.
void add_checkpoints(const JobOptions& options, u32 job, std::span<const std::vector<EndpointId>> jobs, World& world,
                     TrafficBuilder& traffic);

}  // namespace heddle
