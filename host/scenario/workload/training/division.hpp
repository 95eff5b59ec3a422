// The division of a training job's ranks among its parallel groups.
#pragma once

#include <vector>

#include "host/scenario/workload/training/options.hpp"

namespace heddle {

/// A rank's index in every dimension.
struct RankPlace {
  u32 tensor = 0, context = 0, stage = 0, data = 0;
};

/// Sizes of the dimensions; rank = tensor + tensors * (context + contexts * (stage + stages * data)), or with stage and
/// data exchanged.
struct Division {
  u32 tensors = 1, contexts = 1, stages = 1, datas = 1;
  u32 experts = 1;           // adjacent ranks with the same parameters, which divide the experts
  bool stages_last = false;  // replicas of a stage are adjacent

  /// Ranks that hold the same parameters: those of data and context parallelism together.
  u32 replicas() const { return datas * contexts; }
  /// A rank's number among its replicas, and the rank with that number: Megatron-LM's order, tp-cp-ep-dp-pp, in which
  /// experts are divided over neighbours of context and data parallelism.
  u32 replica_of(const RankPlace& p) const { return p.context + contexts * p.data; }
  void go_to_replica(u32 replica, RankPlace& p) const {
    p.context = replica % contexts;
    p.data = replica / contexts;
  }
  u32 ranks() const { return tensors * contexts * stages * datas; }
  u32 rank_of(const RankPlace& p) const {
    const u32 outer = stages_last ? p.data + datas * p.stage : p.stage + stages * p.data;
    return p.tensor + tensors * (p.context + contexts * outer);
  }
  RankPlace place_of(u32 rank) const {
    const u32 outer = rank / (tensors * contexts);
    return {rank % tensors, rank / tensors % contexts, stages_last ? outer / datas : outer % stages,
            stages_last ? outer % datas : outer / stages};
  }
};

/// Throws ConfigError, naming job `job`: dimensions that do not divide the `gpus`, or each other.
Division division_of(const TrainingOptions& options, u32 gpus, u32 job);

/// Layers of each chunk of the pipeline, in the order in which a micro-batch visits them: as even as possible, fewer in
/// the first and the last, which have embedding and output head.
std::vector<u32> layers_of_chunks(u32 layers, u32 chunks);

}  // namespace heddle
