#include "io/results/iterations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/results/layout.hpp"
#include "io/results/text_table.hpp"
#include "kernels/outcome/outcome.hpp"

namespace heddle {
namespace {

double mean(u64 sum, u32 of) { return of == 0 ? 0 : static_cast<double>(sum) / of; }

std::string column_of(const char* what, Group group) { return fmt::format("{}_{}_ps", what, group_name(group)); }

}  // namespace

std::string_view group_name(Group group) { return layout::word(layout::kGroupNames, static_cast<u32>(group)); }

std::vector<IterationRow> iteration_rows(const World& world, const Outcome& outcome) {
  const ProgramPlan& plan = world.programs;
  std::vector<u32> gpus(plan.tasks.size(), 0);
  for (const ProgramRun& run : plan.runs) ++gpus[run.task];
  const std::vector<u32> first = first_iterations(plan);
  std::vector<IterationRow> rows;
  for (u32 task = 0; task < plan.tasks.size(); ++task) {
    if (!plan.tasks[task].trains) continue;
    TimePs since_ps = -1;  // the end of the iteration before
    for (u32 iteration = 0; iteration < plan.tasks[task].iterations; ++iteration) {
      const IterationOutcome& o = outcome.iterations[first[task] + iteration];
      IterationRow row;
      row.outcome = o;
      row.job = plan.tasks[task].job;
      row.iteration = iteration;
      row.gpus = gpus[task];
      row.gpus_ended = o.gpus_ended;
      row.begin_ps = o.first_begin_ps;
      row.first_end_ps = o.first_end_ps;
      row.end_ps = o.gpus_ended == row.gpus ? o.last_end_ps : -1;
      if (row.ended()) row.time_ps = row.end_ps - (iteration == 0 ? row.begin_ps : since_ps);
      since_ps = o.last_end_ps;
      row.compute_ps = mean(o.compute_ps, o.gpus_ended);
      row.max_compute_ps = o.max_compute_ps;
      for (u32 g = 0; g < kGroups; ++g) {
        row.exposed_ps[g] = mean(o.waited_ps[g], o.gpus_ended);
        row.max_exposed_ps[g] = o.max_waited_ps[g];
      }
      rows.push_back(row);
    }
  }
  return rows;
}

std::vector<IterationRow> read_iterations(const InputFile& file) {
  if (!file.has("/iteration")) return {};  // an earlier version wrote the file
  const auto column = [&](const std::string& name) { return file.signed_numbers("/iteration/" + name); };
  const auto reals = [&](const std::string& name) { return file.reals("/iteration/" + name); };
  const std::vector<i64> job = column("job"), iteration = column("iteration"), gpus = column("gpus"),
                         ended = column("gpus_ended"), begin = column("begin_ps"), first = column("first_end_ps"),
                         end = column("end_ps"), time = column("time_ps"), most = column("most_compute_ps");
  const std::vector<double> compute = reals("compute_ps");
  std::vector<IterationRow> rows(std::min({job.size(), iteration.size(), gpus.size(), ended.size(), begin.size(),
                                           first.size(), end.size(), time.size(), most.size(), compute.size()}));
  for (size_t i = 0; i < rows.size(); ++i) {
    IterationRow& row = rows[i];
    row.job = static_cast<u32>(job[i]);
    row.iteration = static_cast<u32>(iteration[i]);
    row.gpus = static_cast<u32>(gpus[i]);
    row.gpus_ended = static_cast<u32>(ended[i]);
    row.begin_ps = begin[i];
    row.first_end_ps = first[i];
    row.end_ps = end[i];
    row.time_ps = time[i];
    row.compute_ps = compute[i];
    row.max_compute_ps = most[i];
  }
  for (const Group group : kParallelGroups) {
    if (!file.has("/iteration/" + column_of("exposed", group))) continue;  // an earlier version wrote the file
    const std::vector<double> exposed = reals(column_of("exposed", group));
    const std::vector<i64> max_exposed = column(column_of("most_exposed", group));
    rows.resize(std::min({rows.size(), exposed.size(), max_exposed.size()}));
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i].exposed_ps[static_cast<u32>(group)] = exposed[i];
      rows[i].max_exposed_ps[static_cast<u32>(group)] = max_exposed[i];
    }
  }
  return rows;
}

std::vector<Group> exposed_groups(const std::vector<IterationRow>& rows) {
  std::vector<Group> groups;
  for (const Group group : kParallelGroups) {
    if (std::ranges::any_of(rows, [&](const IterationRow& r) { return r.max_exposed_ps[static_cast<u32>(group)] > 0; }))
      groups.push_back(group);
  }
  return groups;
}

std::vector<MeanIteration> mean_iterations(const std::vector<IterationRow>& rows) {
  std::vector<MeanIteration> means;
  for (const IterationRow& row : rows) {
    if (means.empty() || means.back().job != row.job) means.push_back({row.job});
    MeanIteration& sum = means.back();
    ++sum.iterations;
    if (!row.ended()) continue;
    ++sum.ended;
    sum.time_ps += static_cast<double>(row.time_ps);
    sum.compute_ps += row.compute_ps;
    for (u32 g = 0; g < kGroups; ++g) sum.exposed_ps[g] += row.exposed_ps[g];
  }
  for (MeanIteration& m : means) {
    m.time_ps /= m.ended;  // 0 / 0 is NaN
    m.compute_ps /= m.ended;
    for (double& exposed : m.exposed_ps) exposed /= m.ended;
  }
  return means;
}

std::string iteration_table(const std::vector<IterationRow>& rows, size_t max_rows) {
  if (rows.empty()) return "";
  const std::vector<Group> groups = exposed_groups(rows);
  TextTable table;
  std::vector<std::string> head = {"iteration", "GPUs", "time", "computing"};
  for (const Group group : groups) head.push_back(std::string(group_name(group)));
  head.push_back("first to last GPU");
  table.row(head);
  for (size_t i = 0; i < std::min(rows.size(), max_rows); ++i) {
    const IterationRow& row = rows[i];
    std::vector<std::string> cells = {fmt::format("job {}: {}", row.job, row.iteration), std::to_string(row.gpus)};
    cells.push_back(row.ended() ? human_time(row.time_ps) : fmt::format("{} GPUs done", row.gpus_ended));
    const auto mean_time = [&](double ps) { return row.gpus_ended == 0 ? "-" : human_time(static_cast<TimePs>(ps)); };
    cells.push_back(mean_time(row.compute_ps));
    for (const Group group : groups) cells.push_back(mean_time(row.exposed_ps[static_cast<u32>(group)]));
    cells.push_back(row.ended() ? human_time(row.end_ps - row.first_end_ps) : "-");
    table.row(cells);
  }
  std::string text =
      "\niterations (means over GPUs: computing, and exposed communication of each group)\n" + table.text();
  if (rows.size() > max_rows) text += fmt::format("  and {} more in /iteration\n", rows.size() - max_rows);
  return text;
}

}  // namespace heddle
