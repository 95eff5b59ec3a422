// Checkpoints of training jobs, as reports show them: from the messages that their programs posted, and from what
// the iterations around them took.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "io/results/input_file.hpp"
#include "io/results/message_kinds.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct Outcome;

/// A row of /training_checkpoint: the batches with the same number of all GPUs of a job.
struct TrainingCheckpoint {
  u32 job = 0, checkpoint = 0, gpus = 0;
  u64 messages = 0, bytes = 0;        // with redundancy
  TimePs begin_ps = -1, end_ps = -1;  // first message posted; last one acknowledged, -1: not all are
  // The rest is not in files of the first versions, where `fabric` is empty.
  u32 servers = 0;
  MessageKind kind;                        // of its messages
  std::string fabric, traffic_class;       // names
  u32 iteration = 0;                       // at whose end it is written
  double exposed_ps = 0;                   // what GPUs waited for storage in that iteration, in the mean
  TimePs step_ps = -1, next_step_ps = -1;  // time of that iteration and of the next one; -1: not ended, or none
  /// Mean time of the job's iterations that write no checkpoint and that none overlaps; NaN: there is none.
  double undisturbed_step_ps = std::numeric_limits<double>::quiet_NaN();

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

/// "+6.4 ms (+380.1 %)": how much longer a step took than those that no checkpoint disturbs; "-" where that is unknown.
std::string more_than_undisturbed(const TrainingCheckpoint& row, TimePs step_ps);

}  // namespace heddle
