// Checkpoints of training jobs, as reports show them: from the messages that their programs posted.
#pragma once

#include <string>
#include <vector>

#include "io/results/input_file.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct Outcome;

/// A row of /training_checkpoint: the batches with the same number of all GPUs of a job.
struct TrainingCheckpoint {
  u32 job = 0, checkpoint = 0, gpus = 0;
  u64 messages = 0, bytes = 0;        // with redundancy
  TimePs begin_ps = -1, end_ps = -1;  // first message posted; last one acknowledged, -1: not all are

  bool ended() const { return end_ps >= 0; }
  double bytes_per_s() const {
    return end_ps > begin_ps ? static_cast<double>(bytes) / static_cast<double>(end_ps - begin_ps) * 1e12 : 0;
  }
};

/// How many checkpoints the World's jobs write.
u64 count_training_checkpoints(const World& world);

/// All of them, by job.
std::vector<TrainingCheckpoint> training_checkpoints(const World& world, const Outcome& outcome);

/// Returns every row of the file; empty when nothing was written, or an earlier version wrote the file.
std::vector<TrainingCheckpoint> read_training_checkpoints(const InputFile& file);

/// Returns a table of at most `max_rows` checkpoints for a terminal; empty when there is none.
std::string training_checkpoint_table(const std::vector<TrainingCheckpoint>& rows, size_t max_rows);

}  // namespace heddle
