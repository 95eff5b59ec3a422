// A run as one row of a table, and tables as CSV.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "io/results/describe_json.hpp"
#include "kernels/outcome/totals.hpp"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

void add_goodput(const RunSummary& run, Json& row) {
  const std::optional<double> bits_per_s = run.messages.goodput_bits_per_s;
  row["received_bytes"] = run.messages.received_bytes;
  row["goodput_bits_per_s"] = bits_per_s ? Json(*bits_per_s) : Json();
}

/// "job0.checkpoints", "job0.data", "frontend.best_effort", or "questions.frontend.best_effort".
std::string column_of(const MessageKindSummary& kind) {
  if (kind.kind.job >= 0) return fmt::format("job{}.{}", kind.kind.job, title_of(kind.kind.purpose));
  return fmt::format("{}{}{}.{}", kind.own() ? "" : title_of(kind.kind.purpose), kind.own() ? "" : ".", kind.fabric,
                     kind.traffic_class);
}

/// Adds the columns of each kind of messages, where there are several.
void add_message_kinds(const RunSummary& run, Json& row) {
  if (!told_apart(run.message_kinds)) return;
  for (const MessageKindSummary& kind : run.message_kinds) {
    const std::string name = column_of(kind);
    for (const auto& [percentile, percent] : kPercentiles) {
      const MessagePercentile* p = kind.times.find(percent);
      row[fmt::format("{}.completion_{}_ps", name, percentile)] = p == nullptr ? Json() : Json(p->completion_ps);
      row[fmt::format("{}.completion_{}_at_least", name, percentile)] =
          p == nullptr ? Json() : Json(p->completion_at_least);
    }
    row[name + ".received_bytes"] = kind.received_bytes;
    row[name + ".goodput_bits_per_s"] = kind.goodput_bits_per_s ? Json(*kind.goodput_bits_per_s) : Json();
  }
}

void add_requests(const RunSummary& run, Json& row) {
  for (const RequestSummary& sum : run.requests) {
    const std::string name = sum.asker.job < 0 ? fmt::format("generator{}.requests", sum.asker.generator)
                                               : fmt::format("job{}.requests", sum.asker.job);
    row[name] = sum.requests;
    row[name + "_ended"] = sum.times.finished;
    for (const auto& [percentile, percent] : kPercentiles) {
      const MessagePercentile* p = sum.times.find(percent);
      row[fmt::format("{}.time_{}_ps", name, percentile)] = p == nullptr ? Json() : Json(p->completion_ps);
      row[fmt::format("{}.time_{}_at_least", name, percentile)] = p == nullptr ? Json() : Json(p->completion_at_least);
    }
    row[name + ".received_bytes"] = sum.received_bytes;
    row[name + ".bits_per_s"] = sum.bits_per_s ? Json(*sum.bits_per_s) : Json();
    row[name + ".requests_per_s"] = sum.requests_per_s ? Json(*sum.requests_per_s) : Json();
  }
}

void add_plans(const RunSummary& run, Json& row) {
  if (run.plans.empty()) return;
  const PlanDelays of = plan_delays(run.plans);
  row["plans"] = of.plans;
  row["plans_in_force"] = of.in_force;
  row["plan_delay_median_ps"] = time_or_null(of.median_ps);
  row["plan_delay_max_ps"] = time_or_null(of.most_ps);
}

void add_checkpoints(const RunSummary& run, Json& row) {
  for (const TrainingCheckpoint& checkpoint : run.training_checkpoints) {
    const std::string name = fmt::format("job{}.checkpoint{}", checkpoint.job, checkpoint.checkpoint);
    row[name + ".bytes"] = checkpoint.bytes;
    row[name + ".time_ps"] = checkpoint.ended() ? Json(checkpoint.end_ps - checkpoint.begin_ps) : Json();
    row[name + ".bytes_per_s"] = checkpoint.ended() ? Json(checkpoint.bytes_per_s()) : Json();
    if (checkpoint.fabric.empty()) continue;
    row[name + ".exposed_ps"] = checkpoint.exposed_ps;
    row[name + ".step_ps"] = time_or_null(checkpoint.step_ps);
    row[name + ".next_step_ps"] = time_or_null(checkpoint.next_step_ps);
    const double undisturbed_ps = checkpoint.undisturbed_step_ps;
    row[name + ".undisturbed_step_ps"] = std::isnan(undisturbed_ps) ? Json() : Json(undisturbed_ps);
  }
}

/// Adds a column per percentile, and one that says whether it is a lower bound.
void add_completions(const RunSummary& run, Json& row) {
  for (const auto& [name, percent] : kPercentiles) {
    const MessagePercentile* p = run.summaries ? run.summaries->messages.find(percent) : nullptr;
    row[fmt::format("completion_{}_ps", name)] = p == nullptr ? Json() : Json(p->completion_ps);
  }
  for (const auto& [name, percent] : kPercentiles) {
    const MessagePercentile* p = run.summaries ? run.summaries->messages.find(percent) : nullptr;
    row[fmt::format("completion_{}_at_least", name)] = p == nullptr ? Json() : Json(p->completion_at_least);
  }
}

void add_iterations(const RunSummary& run, Json& row) {
  if (!run.summaries) return;
  const auto known = [](double value) { return std::isnan(value) ? Json() : Json(value); };
  for (const MeanIteration& mean : run.summaries->iterations) {
    const std::string job = fmt::format("job{}.iteration", mean.job);
    row[job + ".time_ps"] = known(mean.time_ps);
    row[job + ".compute_ps"] = known(mean.compute_ps);
    for (const Group group : exposed_groups(run.iterations))
      row[fmt::format("{}.exposed_{}_ps", job, group_name(group))] = known(mean.exposed_ps[static_cast<u32>(group)]);
    row[job + "s"] = mean.iterations;
    row[job + "s_ended"] = mean.ended;
  }
}

Json name_of_first(const std::vector<HotLink>& links) { return links.empty() ? Json() : Json(links.front().name); }

/// Adds the most loaded links, and the largest queue of every kind of link. Where no link was paused or queued, its
/// name is null and the number 0.
void add_links(const LinkSummary& links, Json& row) {
  u64 paused_ps = 0;
  for (const LinkKind& kind : links.kinds) paused_ps += kind.sum.paused_ps;
  row["paused_ps"] = paused_ps;
  row["busiest_link"] = name_of_first(links.busiest);
  row["busiest_link_use"] = links.use_known ? Json(links.busiest.empty() ? 0.0 : links.busiest.front().use) : Json();
  row["longest_paused_link"] = name_of_first(links.longest_paused);
  row["longest_paused_ps"] = links.longest_paused.empty() ? 0 : links.longest_paused.front().counted.paused_ps;
  row["largest_queue_link"] = name_of_first(links.longest_queues);
  row["largest_queue_bytes"] = links.longest_queues.empty() ? 0 : links.longest_queues.front().counted.peak_queue_bytes;
  for (const LinkKind& kind : links.kinds) row[kind.name + ".largest_queue_bytes"] = kind.sum.peak_queue_bytes;
  for (const LinkKind& kind : links.kinds) {
    const bool used = kind.balance.jain_index > 0;
    row[kind.name + ".busiest_over_mean"] = used ? Json(kind.balance.busiest_over_mean) : Json();
    row[kind.name + ".busiest_over_mean_in_time"] =
        used && kind.busiest_over_mean_in_time ? Json(*kind.busiest_over_mean_in_time) : Json();
    row[kind.name + ".jain_index"] = used ? Json(kind.balance.jain_index) : Json();
    row[kind.name + ".most_qps"] = links.flows_known ? Json(kind.max_qps) : Json();
  }
}

/// Returns the column name of a collective; equal collectives after the first get .1, .2, ...
std::string name_of(const CollectiveRow& c, std::set<std::string>& taken) {
  std::string name = fmt::format("job{}.{}.{}ranks.{}B", c.job, c.kind, c.ranks, c.bytes);
  const std::string base = name;
  for (u32 again = 1; !taken.insert(name).second; ++again) name = fmt::format("{}.{}", base, again);
  return name;
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

Json row_of(const RunSummary& run) {
  Json row = {{"status", run.status}, {"end_ps", time_or_null(run.end_ps)}};
  const MessageSummary& m = run.messages;
  if (m.messages > 0) {
    row["messages"] = m.messages;
    row["messages_finished"] = m.finished;
    add_completions(run, row);
  }
  if (m.messages > 0 && m.received_known) add_goodput(run, row);
  add_message_kinds(run, row);
  add_requests(run, row);
  add_plans(run, row);
  std::set<std::string> names;
  for (const CollectiveRow& c : run.collectives) {
    const std::string name = name_of(c, names);
    const bool done = c.finish_ps >= 0;
    row[name + ".time_ps"] = done ? Json(c.finish_ps - c.start_ps) : Json();
    row[name + ".busbw_GBps"] = done ? Json(c.busbw_GBps) : Json();
  }
  add_iterations(run, row);
  add_checkpoints(run, row);
  for_each_total(run.totals, [&](const char* name, u64 sum) {
    row[name] = run.partial() || run.unknown_totals.contains(name) ? Json() : Json(sum);
  });
  for (const TierRow& t : run.tiers) {
    if (run.series_rows > 0) row[t.tier + ".paused_ps"] = t.paused_ps;
  }
  if (!run.link_summary.empty()) add_links(run.link_summary, row);
  row["digest"] = run.digest.empty() ? Json() : Json(run.digest);
  row["wall_s"] = run.perf.wall_s > 0 ? Json(run.perf.wall_s) : Json();
  return row;
}

std::string csv_of(std::span<const Json> rows) {
  std::vector<std::string> columns;
  std::set<std::string> known;
  for (const Json& row : rows) {
    for (const auto& [name, value] : row.items()) {
      if (known.insert(name).second) columns.push_back(name);
    }
  }
  std::string text;
  for (const std::string& column : columns) text += (text.empty() ? "" : ",") + csv_cell(column);
  text += "\n";
  for (const Json& row : rows) {
    for (size_t i = 0; i < columns.size(); ++i)
      text += (i == 0 ? "" : ",") + (row.contains(columns[i]) ? csv_cell(row[columns[i]]) : "");
    text += "\n";
  }
  return text;
}

}  // namespace heddle
