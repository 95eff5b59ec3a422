#include "io/results/training_checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/results/text_table.hpp"
#include "kernels/outcome/outcome.hpp"

namespace heddle {
namespace {

constexpr const char* kTable = "/training_checkpoint";

/// The number of checkpoints that each task writes, with each of its GPUs.
std::vector<u32> checkpoints_of_tasks(const ProgramPlan& plan) {
  std::vector<u32> count(plan.tasks.size(), 0);
  for (const ProgramRun& run : plan.runs) count[run.task] = std::max(count[run.task], run.batches);
  return count;
}

void add(const World& world, const Outcome& outcome, const Batch& batch, TrainingCheckpoint& sum, bool& open) {
  const ProgramPlan& plan = world.programs;
  ++sum.gpus;
  for (u32 i = batch.first_awaited; i < batch.first_awaited + batch.awaited; ++i) {
    const u32 m = plan.awaited[i].message;
    const MessageOutcome& message = outcome.messages[m];
    ++sum.messages;
    sum.bytes += world.traffic.messages[m].bytes;
    open = open || message.acked_ps < 0;
    if (message.posted_ps >= 0 && (sum.begin_ps < 0 || message.posted_ps < sum.begin_ps))
      sum.begin_ps = message.posted_ps;
    sum.end_ps = std::max(sum.end_ps, message.acked_ps);
  }
}

}  // namespace

u64 count_training_checkpoints(const World& world) {
  u64 all = 0;
  for (const u32 of_task : checkpoints_of_tasks(world.programs)) all += of_task;
  return all;
}

std::vector<TrainingCheckpoint> training_checkpoints(const World& world, const Outcome& outcome) {
  const ProgramPlan& plan = world.programs;
  std::vector<u32> first{0};
  for (const u32 of_task : checkpoints_of_tasks(plan)) first.push_back(first.back() + of_task);
  std::vector<TrainingCheckpoint> rows(first.back());
  std::vector<bool> open(rows.size(), false);
  for (const ProgramRun& run : plan.runs) {
    for (u32 k = 0; k < run.batches; ++k) {
      const u32 row = first[run.task] + k;
      rows[row].job = plan.tasks[run.task].job;
      rows[row].checkpoint = k;
      bool unfinished = false;
      add(world, outcome, plan.batches[run.first_batch + k], rows[row], unfinished);
      if (unfinished) open[row] = true;
    }
  }
  for (size_t row = 0; row < rows.size(); ++row) {
    if (open[row]) rows[row].end_ps = -1;
  }
  return rows;
}

std::vector<TrainingCheckpoint> read_training_checkpoints(const InputFile& file) {
  if (!file.has(kTable)) return {};
  const auto column = [&](const char* name) { return file.signed_numbers(fmt::format("{}/{}", kTable, name)); };
  const std::vector<i64> job = column("job"), checkpoint = column("checkpoint"), gpus = column("gpus"),
                         messages = column("messages"), bytes = column("bytes"), begin = column("begin_ps"),
                         end = column("end_ps");
  std::vector<TrainingCheckpoint> rows(
      std::min({job.size(), checkpoint.size(), gpus.size(), messages.size(), bytes.size(), begin.size(), end.size()}));
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = {static_cast<u32>(job[i]),
               static_cast<u32>(checkpoint[i]),
               static_cast<u32>(gpus[i]),
               static_cast<u64>(messages[i]),
               static_cast<u64>(bytes[i]),
               begin[i],
               end[i]};
  return rows;
}

std::string training_checkpoint_table(const std::vector<TrainingCheckpoint>& rows, size_t max_rows) {
  if (rows.empty()) return "";
  TextTable table;
  table.row({"checkpoint", "GPUs", "written", "begins", "time", "rate"});
  for (size_t i = 0; i < std::min(rows.size(), max_rows); ++i) {
    const TrainingCheckpoint& row = rows[i];
    table.row({fmt::format("job {}: {}", row.job, row.checkpoint), std::to_string(row.gpus), size_text(row.bytes),
               row.begin_ps < 0 ? "-" : human_time(row.begin_ps),
               row.ended()        ? human_time(row.end_ps - row.begin_ps)
               : row.begin_ps < 0 ? "not begun"
                                  : "not ended",
               row.ended() ? fmt::format("{:.1f} GB/s", row.bytes_per_s() / 1e9) : "-"});
  }
  std::string text =
      "\ncheckpoints (with redundancy; from the first message posted to the last acknowledged)\n" + table.text();
  if (rows.size() > max_rows) text += fmt::format("  and {} more in {}\n", rows.size() - max_rows, kTable);
  return text;
}

}  // namespace heddle
