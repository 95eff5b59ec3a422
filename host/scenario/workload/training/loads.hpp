// The data on which a job trains: what its programs do for them, and the requests that they post (MODEL.md, 9.14).
#pragma once

#include "host/scenario/workload/hosts.hpp"
#include "host/scenario/workload/training/stage_program.hpp"

namespace heddle {

class TrafficBuilder;
struct World;

/// Whether a rank reads data: the first one of a tensor-parallel group of the first pipeline stage.
inline bool reads_data(const RankPlace& place) { return place.stage == 0 && place.tensor == 0; }

/// How many bytes such a rank reads for an iteration.
u64 load_bytes(const TrainingOptions& options, const Division& division);

/// What such a GPU does with storage when an iteration begins, and so many of these operations are behind it when the
/// data are there.
struct LoadOperations {
  std::vector<Op> ops;
  u32 until_there = 0;
};
LoadOperations load_operations(const TrainingDataOptions& options);

/// Adds what one GPU reads for all its iterations.
class LoadWriter {
 public:
  LoadWriter(const TrainingOptions& options, u32 job, u64 bytes, const Hosts& storage, World& world,
             TrafficBuilder& traffic);

  /// Adds the batches of run `run` of World::programs, whose helper is known.
  void write(u32 run, u32 rank) const;

 private:
  void write_batch(EndpointId helper, u32 rank, u32 iteration, u32 connections) const;

  const TrainingDataOptions& o_;
  u32 iterations_, job_;
  u64 bytes_;
  Hosts storage_;
  u8 traffic_class_;
  World& world_;
  TrafficBuilder& traffic_;
};

}  // namespace heddle
