// The checkpoints of a training job: what its programs do for them, and the messages that they post (MODEL.md, 9.14).
#pragma once

#include <span>

#include "host/scenario/workload/hosts.hpp"
#include "host/scenario/workload/training/stage_program.hpp"

namespace heddle {

class TrafficBuilder;
struct JobOptions;
struct World;

/// How many bytes a GPU of the job writes, without redundancy.
u64 checkpoint_bytes(const TrainingCheckpointOptions& options, const Transformer& model, u32 gpus);

/// What a GPU does for it behind an iteration. Throws ConfigError: a copy that takes too long.
std::vector<Op> checkpoint_operations(const TrainingPlan& plan);

/// Adds what the GPUs of a job write.
class TrainingCheckpointWriter {
 public:
  /// `jobs`: the GPUs of all jobs. Throws ConfigError, which begins with job[N].training.checkpoint.
  TrainingCheckpointWriter(const JobOptions& options, u32 job, std::span<const std::vector<EndpointId>> jobs,
                           World& world, TrafficBuilder& traffic);

  /// Adds the batches of run `run` of World::programs, whose helper is known.
  void write(u32 run, u32 rank) const;

 private:
  void write_batch(u32 run, u32 rank, u32 checkpoint, u32 connections) const;
  /// The messages of one chunk, to consecutive servers from one on that is drawn.
  std::vector<u32> chunk(u32 run, u32 rank, u32 checkpoint, u64 number, u64 bytes) const;

  const TrainingCheckpointOptions& o_;
  u32 checkpoints_, job_;
  u64 bytes_;
  Hosts storage_;
  u8 traffic_class_;
  World& world_;
  TrafficBuilder& traffic_;
};

}  // namespace heddle
