#include "io/results/training_checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "io/results/iterations.hpp"
#include "io/results/text_table.hpp"
#include "kernels/outcome/outcome.hpp"

namespace heddle {
namespace {

constexpr const char* kTable = "/training_checkpoint";

/// The number of checkpoints that each task writes, with each of its GPUs.
std::vector<u32> checkpoints_of_tasks(const ProgramPlan& plan) {
  std::vector<u32> count(plan.tasks.size(), 0);
  for (const ProgramRun& run : plan.runs)
    count[run.task] = std::max(count[run.task], run.series(BatchSeries::checkpoints).count);
  return count;
}

/// What a row gathers before it is complete.
struct Gathered {
  bool open = false;  // some message is not acknowledged
  std::set<EndpointId> servers;
};

void add(const World& world, const Outcome& outcome, const Batch& batch, TrainingCheckpoint& sum, Gathered& gathered) {
  const ProgramPlan& plan = world.programs;
  ++sum.gpus;
  for (u32 i = batch.first_awaited; i < batch.first_awaited + batch.awaited; ++i) {
    const u32 m = plan.awaited[i].message;
    const MessageOutcome& message = outcome.messages[m];
    ++sum.messages;
    sum.bytes += world.traffic.messages[m].bytes;
    gathered.open = gathered.open || message.acked_ps < 0;
    gathered.servers.insert(world.traffic.qps[world.traffic.messages[m].qp].dst);
    sum.kind = kind_of(world, m, {MessagePurpose::checkpoint, static_cast<i32>(sum.job)});
    if (message.posted_ps >= 0 && (sum.begin_ps < 0 || message.posted_ps < sum.begin_ps))
      sum.begin_ps = message.posted_ps;
    sum.end_ps = std::max(sum.end_ps, message.acked_ps);
  }
}

/// The iterations in which a run posts its checkpoints, one for each.
std::vector<u32> iterations_of_checkpoints(const ProgramPlan& plan, const ProgramRun& run) {
  std::vector<u32> iterations;
  const Program& program = plan.programs[run.program];
  for (u32 i = 0; i < plan.tasks[run.task].iterations; ++i) {
    for (u32 s = program.first_stream; s < program.first_stream + program.streams; ++s) {
      const OpStream& stream = plan.streams[s];
      for (u32 o = stream.first_op; o < stream.first_op + stream.ops; ++o)
        if (plan.ops[o].kind == OpKind::post && is_of(plan.ops[o], BatchSeries::checkpoints) &&
            takes_place(plan.ops[o], i))
          iterations.push_back(i);
    }
  }
  return iterations;
}

bool overlaps(const TrainingCheckpoint& checkpoint, const IterationRow& step) {
  if (checkpoint.job == step.job && checkpoint.iteration == step.iteration) return true;
  const bool begins_before = checkpoint.begin_ps >= 0 && checkpoint.begin_ps < step.end_ps;
  return begins_before && (!checkpoint.ended() || checkpoint.end_ps > step.end_ps - step.time_ps);
}

/// What iterations lost, and those that lost nothing.
void add_steps(const World& world, const Outcome& outcome, std::vector<TrainingCheckpoint>& rows) {
  const std::vector<IterationRow> steps = iteration_rows(world, outcome);
  std::map<u32, std::pair<double, u32>> undisturbed;  // by job: sum of times, and how many
  std::map<u32, double> first_alone;                  // the first step, which stands in where there is no other
  for (const IterationRow& step : steps) {
    if (!step.ended()) continue;
    if (std::ranges::any_of(rows, [&](const TrainingCheckpoint& row) { return overlaps(row, step); })) continue;
    const auto time_ps = static_cast<double>(step.time_ps);
    if (step.iteration == 0) {
      first_alone[step.job] = time_ps;  // it begins with idle links and so is another one
      continue;
    }
    auto& [sum, count] = undisturbed[step.job];
    sum += time_ps;
    ++count;
  }
  for (TrainingCheckpoint& row : rows) {
    for (const IterationRow& step : steps) {
      if (step.job != row.job) continue;
      if (step.iteration == row.iteration) {
        row.step_ps = step.time_ps;
        row.exposed_ps = step.exposed_ps[static_cast<u32>(Group::storage)];
      }
      if (step.iteration == row.iteration + 1) row.next_step_ps = step.time_ps;
    }
    const auto found = undisturbed.find(row.job);
    if (found != undisturbed.end()) {
      row.undisturbed_step_ps = found->second.first / found->second.second;
    } else if (const auto first = first_alone.find(row.job); first != first_alone.end()) {
      row.undisturbed_step_ps = first->second;
    }
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
  std::vector<Gathered> gathered(rows.size());
  for (const ProgramRun& run : plan.runs) {
    const BatchRange checkpoints = run.series(BatchSeries::checkpoints);
    if (checkpoints.count == 0) continue;
    const bool is_new = rows[first[run.task]].gpus == 0;  // all GPUs of a task post in the same iterations
    const std::vector<u32> iterations = is_new ? iterations_of_checkpoints(plan, run) : std::vector<u32>();
    for (u32 k = 0; k < checkpoints.count; ++k) {
      TrainingCheckpoint& row = rows[first[run.task] + k];
      row.job = plan.tasks[run.task].job;
      row.checkpoint = k;
      if (is_new) row.iteration = iterations.at(k);
      add(world, outcome, plan.batches[checkpoints.first + k], row, gathered[first[run.task] + k]);
    }
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (gathered[i].open) rows[i].end_ps = -1;
    rows[i].servers = static_cast<u32>(gathered[i].servers.size());
    rows[i].fabric = fabric_name(world.fabric, rows[i].kind.fabric);
    rows[i].traffic_class = class_name(rows[i].kind);
  }
  add_steps(world, outcome, rows);
  return rows;
}

namespace {

void read_later_columns(const InputFile& file, std::vector<TrainingCheckpoint>& rows) {
  const auto name = [](const char* column) { return fmt::format("{}/{}", kTable, column); };
  const std::vector<u64> servers = file.numbers(name("servers")), fabric = file.numbers(name("fabric")),
                         traffic_class = file.numbers(name("class")), iteration = file.numbers(name("iteration"));
  const std::vector<i64> step = file.signed_numbers(name("step_ps")), next = file.signed_numbers(name("next_step_ps"));
  const std::vector<double> exposed = file.reals(name("exposed_ps")),
                            undisturbed = file.reals(name("undisturbed_step_ps"));
  const std::map<u64, std::string> fabrics = file.meanings(name("fabric")), classes = file.meanings(name("class"));
  rows.resize(std::min({rows.size(), servers.size(), fabric.size(), traffic_class.size(), iteration.size(), step.size(),
                        next.size(), exposed.size(), undisturbed.size()}));
  for (size_t i = 0; i < rows.size(); ++i) {
    TrainingCheckpoint& row = rows[i];
    row.servers = static_cast<u32>(servers[i]);
    row.kind = {static_cast<i32>(row.job), MessagePurpose::checkpoint, static_cast<u32>(fabric[i]),
                static_cast<u32>(traffic_class[i])};
    row.fabric = fabrics.at(fabric[i]);
    row.traffic_class = classes.at(traffic_class[i]);
    row.iteration = static_cast<u32>(iteration[i]);
    row.exposed_ps = exposed[i];
    row.step_ps = step[i];
    row.next_step_ps = next[i];
    row.undisturbed_step_ps = undisturbed[i];
  }
}

}  // namespace

std::vector<TrainingCheckpoint> read_training_checkpoints(const InputFile& file) {
  if (!file.has(kTable)) return {};
  const auto column = [&](const char* name) { return file.signed_numbers(fmt::format("{}/{}", kTable, name)); };
  const std::vector<i64> job = column("job"), checkpoint = column("checkpoint"), gpus = column("gpus"),
                         messages = column("messages"), bytes = column("bytes"), begin = column("begin_ps"),
                         end = column("end_ps");
  std::vector<TrainingCheckpoint> rows(
      std::min({job.size(), checkpoint.size(), gpus.size(), messages.size(), bytes.size(), begin.size(), end.size()}));
  for (size_t i = 0; i < rows.size(); ++i) {
    TrainingCheckpoint& row = rows[i];
    row.job = static_cast<u32>(job[i]);
    row.checkpoint = static_cast<u32>(checkpoint[i]);
    row.gpus = static_cast<u32>(gpus[i]);
    row.messages = static_cast<u64>(messages[i]);
    row.bytes = static_cast<u64>(bytes[i]);
    row.begin_ps = begin[i];
    row.end_ps = end[i];
  }
  if (file.has(fmt::format("{}/fabric", kTable))) read_later_columns(file, rows);
  return rows;
}

std::string training_checkpoint_table(const std::vector<TrainingCheckpoint>& rows, size_t max_rows) {
  if (rows.empty()) return "";
  TextTable table;
  const bool with_steps = std::ranges::none_of(rows, [](const auto& row) { return row.fabric.empty(); });
  std::vector<std::string> head = {"checkpoint", "GPUs", "written", "begins", "time", "rate"};
  if (with_steps)
    for (const char* more : {"by", "in class", "to servers", "GPUs wait", "its step", "more", "next step", "more"})
      head.emplace_back(more);
  table.row(head);
  for (size_t i = 0; i < std::min(rows.size(), max_rows); ++i) {
    const TrainingCheckpoint& row = rows[i];
    std::vector<std::string> cells = {fmt::format("job {}: {}", row.job, row.checkpoint),
                                      std::to_string(row.gpus),
                                      size_text(row.bytes),
                                      row.begin_ps < 0 ? "-" : human_time(row.begin_ps),
                                      row.ended()        ? human_time(row.end_ps - row.begin_ps)
                                      : row.begin_ps < 0 ? "not begun"
                                                         : "not ended",
                                      row.ended() ? fmt::format("{:.1f} GB/s", row.bytes_per_s() / 1e9) : "-"};
    if (with_steps) {
      for (std::string cell : {row.fabric, row.traffic_class, std::to_string(row.servers),
                               row.step_ps < 0 ? "-" : human_time(std::llround(row.exposed_ps)),
                               human_time(row.step_ps), more_than_undisturbed(row, row.step_ps),
                               human_time(row.next_step_ps), more_than_undisturbed(row, row.next_step_ps)})
        cells.push_back(std::move(cell));
    }
    table.row(cells);
  }
  std::string text =
      fmt::format("\ncheckpoints (with redundancy; from the first message posted to the last acknowledged{})\n",
                  with_steps ? "; more: than the mean step that no checkpoint overlaps" : "") +
      table.text();
  if (rows.size() > max_rows) text += fmt::format("  and {} more in {}\n", rows.size() - max_rows, kTable);
  return text;
}

std::string more_than_undisturbed(const TrainingCheckpoint& row, TimePs step_ps) {
  if (step_ps < 0 || !(row.undisturbed_step_ps > 0)) return "-";
  const double more_ps = static_cast<double>(step_ps) - row.undisturbed_step_ps;
  return fmt::format("{}{} ({:+.1f} %)", more_ps < 0 ? "-" : "+", human_time(std::llround(std::abs(more_ps))),
                     100 * more_ps / row.undisturbed_step_ps);
}

}  // namespace heddle
