#include "io/results/compare_checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "io/results/compare_row.hpp"

namespace heddle {
namespace {

using Runs = std::span<const RunSummary>;
using Key = std::pair<u32, u32>;  // job, checkpoint

/// A table for people compares so many; /training_checkpoint has all.
constexpr size_t kMaxCheckpoints = 8;

const TrainingCheckpoint* find_checkpoint(const RunSummary& run, const Key& key) {
  const auto is_it = [&](const TrainingCheckpoint& row) { return Key{row.job, row.checkpoint} == key; };
  const auto found = std::ranges::find_if(run.training_checkpoints, is_it);
  return found == run.training_checkpoints.end() ? nullptr : &*found;
}

TimePs step_time(const RunSummary& run, u32 job, u32 iteration) {
  const auto is_it = [&](const IterationRow& row) { return row.job == job && row.iteration == iteration; };
  const auto found = std::ranges::find_if(run.iterations, is_it);
  return found == run.iterations.end() ? -1 : found->time_ps;
}

class CheckpointRows {
 public:
  CheckpointRows(Runs runs, const Key& key, TextTable& table) : runs_(runs), key_(key), table_(table) {}

  /// What was written, where to, and how long it took.
  void add_writing() const {
    add(fmt::format("job {}, checkpoint {}: by, in class", key_.first, key_.second), [](const TrainingCheckpoint& row) {
      return row.fabric.empty() ? Shown{} : Shown{fmt::format("{}, {}", row.fabric, row.traffic_class)};
    });
    add("  storage servers",
        [](const TrainingCheckpoint& row) { return row.servers == 0 ? Shown{} : Shown{std::to_string(row.servers)}; });
    add("  written", [](const TrainingCheckpoint& row) {
      return Shown{human_bytes(row.bytes), static_cast<double>(row.bytes)};
    });
    add("  begins", [](const TrainingCheckpoint& row) { return Shown{human_time(row.begin_ps)}; });
    add("  ends", [](const TrainingCheckpoint& row) { return Shown{human_time(row.end_ps)}; });
    add("  time",
        [](const TrainingCheckpoint& row) { return row.ended() ? shown_time(row.end_ps - row.begin_ps) : Shown{}; });
    add("  rate", [](const TrainingCheckpoint& row) {
      return row.ended() ? Shown{fmt::format("{:.1f} GB/s", row.bytes_per_s() / 1e9), row.bytes_per_s()} : Shown{};
    });
  }

  /// The step at whose end it is written, and the one behind it, which an asynchronous checkpoint shares the network
  /// with.
  void add_steps(u32 iteration) const {
    add("  GPUs wait, mean", [](const TrainingCheckpoint& row) {
      return row.step_ps < 0 ? Shown{} : shown_time(std::llround(row.exposed_ps));
    });
    for (const u32 behind : {0u, 1u}) {
      const u32 step = iteration + behind;
      const auto has_it = [&](const RunSummary& run) { return step_time(run, key_.first, step) >= 0; };
      if (std::ranges::none_of(runs_, has_it)) continue;
      const std::string name = fmt::format("  {} step, iteration {}", behind == 0 ? "its" : "next", step);
      add_row(table_, name, runs_, [&](const RunSummary& run) {
        const TrainingCheckpoint* row = find_checkpoint(run, key_);
        if (row == nullptr || row->iteration == iteration) return shown_time(step_time(run, key_.first, step));
        const u32 own = row->iteration + behind;  // of a run with another `every`: no ratio
        return Shown{fmt::format("{} (iteration {})", human_time(step_time(run, key_.first, own)), own)};
      });
      add("    more than undisturbed ones", [&](const TrainingCheckpoint& row) {
        return Shown{more_than_undisturbed(row, behind == 0 ? row.step_ps : row.next_step_ps)};
      });
    }
  }

 private:
  template <class Get>
  void add(const std::string& name, const Get& get) const {
    add_row(table_, name, runs_, [&](const RunSummary& run) {
      const TrainingCheckpoint* row = find_checkpoint(run, key_);
      return row == nullptr ? Shown{} : get(*row);
    });
  }

  Runs runs_;
  Key key_;
  TextTable& table_;
};

}  // namespace

std::string compare_checkpoints(Runs runs, const std::vector<std::string>& header) {
  std::map<Key, const TrainingCheckpoint*> all;  // of the first run that has it
  for (const RunSummary& run : runs)
    for (const TrainingCheckpoint& row : run.training_checkpoints) all.try_emplace({row.job, row.checkpoint}, &row);
  if (all.empty()) return "";
  TextTable table;
  table.row(header);
  size_t shown = 0;
  for (const auto& [key, row] : all) {
    if (++shown > kMaxCheckpoints) break;
    const CheckpointRows rows(runs, key, table);
    rows.add_writing();
    if (!row->fabric.empty()) rows.add_steps(row->iteration);
  }
  const std::string more = all.size() <= kMaxCheckpoints
                               ? ""
                               : fmt::format("  and {} more in /training_checkpoint\n", all.size() - kMaxCheckpoints);
  return "\ncheckpoints (bytes with redundancy; time from the first message posted to the last acknowledged; "
         "undisturbed: the\nmean of a run's own steps that no checkpoint overlaps, without the first where there are "
         "others; ratios to A)\n" +
         table.text() + more;
}

}  // namespace heddle
