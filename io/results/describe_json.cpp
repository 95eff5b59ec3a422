#include "io/results/describe_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/results/bandwidth.hpp"
#include "io/results/losses.hpp"
#include "kernels/outcome/totals.hpp"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) { return std::isnan(value) ? Json() : Json(value); }

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

double ratio(double value, double base) { return base > 0 ? value / base : 0; }

Json provenance(const RunSummary& run) {
  const Provenance& p = run.provenance;
  return {{"date", p.date},       {"command_line", p.command_line},
          {"hosts", p.hosts},     {"slurm_job_id", text_or_null(p.slurm_job_id)},
          {"devices", p.devices}, {"ranks", p.ranks},
          {"threads", p.threads}};
}

Json software(const Provenance& p) {
  return {{"version", p.software_version},
          {"git_commit", text_or_null(p.git_commit)},
          {"git_dirty", p.git_dirty},
          {"build", p.build}};
}

Json hashes(const Provenance& p) {
  const auto hex = [](u64 hash) { return fmt::format("{:016x}", hash); };
  return {{"config", hex(p.config_hash)}, {"topology", hex(p.topology_hash)}, {"workload", hex(p.workload_hash)}};
}

Json perf(const RunSummary& run) {
  if (run.partial()) return {};
  const Perf& p = run.perf;
  Json phases = Json::object();
  for (const PhaseTime& phase : p.phases) phases[phase.name] = phase.wall_s;
  return {{"wall_s", p.wall_s},
          {"packet_hops", p.packet_hops},
          {"packet_hops_per_s", ratio(static_cast<double>(p.packet_hops), p.wall_s)},
          {"memory_bytes", p.memory_bytes},
          {"sittings", p.process_runs},
          {"exchanges", p.exchanges},
          {"exchanged_bytes", p.exchanged_bytes},
          {"phases_wall_s", phases}};
}

/// Applies `get(row)` to every percentile; null when no message was posted.
template <class Get>
Json by_percentile(const MessageTimes& times, const Get& get) {
  Json all;
  for (const auto& [name, percent] : kPercentiles) {
    const MessagePercentile* p = times.find(percent);
    if (p != nullptr) all[name] = get(*p);
  }
  return all;
}

void add_percentiles(const MessageTimes& times, Json& to) {
  to["completion_ps"] = by_percentile(times, [](const auto& p) { return Json(p.completion_ps); });
  to["completion_at_least"] = by_percentile(times, [](const auto& p) { return Json(p.completion_at_least); });
  to["times_the_ideal"] = by_percentile(times, [](const auto& p) { return number_or_null(p.times_the_ideal); });
  to["ideal_at_least"] = by_percentile(times, [](const auto& p) { return Json(p.ideal_at_least); });
}

Json message_kinds(const RunSummary& run) {
  Json all = Json::array();
  for (const MessageKindSummary& kind : run.message_kinds) {
    const bool of_checkpoints = kind.kind.purpose == MessagePurpose::checkpoint;
    Json one = {{"purpose", name_of(kind.kind.purpose)},
                {"job", kind.kind.job < 0 ? Json() : Json(kind.kind.job)},
                {"checkpoints_of_job", of_checkpoints ? Json(kind.kind.job) : Json()},
                {"fabric", kind.fabric},
                {"class", kind.traffic_class},
                {"messages", kind.messages},
                {"posted", kind.times.posted},
                {"finished", kind.times.finished},
                {"received_bytes", kind.received_bytes},
                {"goodput_bits_per_s", number_or_null(kind.goodput_bits_per_s.value_or(std::nan("")))}};
    add_percentiles(kind.times, one);
    all.push_back(std::move(one));
  }
  return all;
}

Json messages(const RunSummary& run) {
  if (run.partial()) return {};
  const MessageSummary& m = run.messages;
  Json all = {{"messages", m.messages},
              {"posted", run.summaries ? Json(run.summaries->messages.posted) : Json()},
              {"finished", m.finished},
              {"received_bytes", m.received_known ? Json(m.received_bytes) : Json()},
              {"goodput_bits_per_s", number_or_null(m.goodput_bits_per_s.value_or(std::nan("")))}};
  add_percentiles(run.summaries ? run.summaries->messages : MessageTimes{}, all);
  all["kinds"] = message_kinds(run);
  for_each_column<MessageOutcome>([&](const auto& column) {
    if (column.is_count()) all[column.name] = m.sums.contains(column.name) ? Json(m.sums.at(column.name)) : Json();
  });
  return all;
}

Json collective(const CollectiveRow& c) {
  const bool done = c.finish_ps >= 0;
  return {{"id", c.id},
          {"job", c.job},
          {"kind", c.kind},
          {"algorithm", c.algorithm},
          {"protocol", c.protocol},
          {"ranks", c.ranks},
          {"ranks_finished", c.ranks_finished},
          {"bytes", c.bytes},
          {"start_ps", time_or_null(c.start_ps)},
          {"finish_ps", time_or_null(c.finish_ps)},
          {"time_ps", done ? Json(c.finish_ps - c.start_ps) : Json()},
          {"algbw_GBps", done ? Json(c.algbw_GBps) : Json()},
          {"busbw_GBps", done ? Json(c.busbw_GBps) : Json()},
          {"transfer_busbw_GBps", done && c.transfer_busbw_GBps ? Json(*c.transfer_busbw_GBps) : Json()},
          {"rank_spread_ps", done ? Json(c.finish_ps - c.first_rank_ps) : Json()},
          {"slowest_rank", c.slowest_rank < 0 ? Json() : Json(c.slowest_rank)},
          {"slowest_gpu", text_or_null(c.slowest_gpu)}};
}

Json iterations(const RunSummary& run) {
  Json all = Json::array();
  for (const IterationRow& row : run.iterations) {
    Json one = {{"job", row.job},
                {"iteration", row.iteration},
                {"gpus", row.gpus},
                {"gpus_ended", row.gpus_ended},
                {"begin_ps", time_or_null(row.begin_ps)},
                {"first_end_ps", time_or_null(row.first_end_ps)},
                {"end_ps", time_or_null(row.end_ps)},
                {"time_ps", time_or_null(row.time_ps)},
                {"compute_ps", row.compute_ps},
                {"most_compute_ps", row.max_compute_ps}};
    for (const Group group : kParallelGroups) {
      const auto g = static_cast<u32>(group);
      one[fmt::format("exposed_{}_ps", group_name(group))] = row.exposed_ps[g];
      one[fmt::format("most_exposed_{}_ps", group_name(group))] = row.max_exposed_ps[g];
    }
    all.push_back(std::move(one));
  }
  return all;
}

Json training_checkpoints(const RunSummary& run) {
  Json all = Json::array();
  for (const TrainingCheckpoint& row : run.training_checkpoints) {
    Json one = {{"job", row.job},
                {"checkpoint", row.checkpoint},
                {"gpus", row.gpus},
                {"messages", row.messages},
                {"bytes", row.bytes},
                {"begin_ps", time_or_null(row.begin_ps)},
                {"end_ps", time_or_null(row.end_ps)}};
    const bool known = !row.fabric.empty();
    one["servers"] = known ? Json(row.servers) : Json();
    one["fabric"] = text_or_null(row.fabric);
    one["class"] = text_or_null(row.traffic_class);
    one["iteration"] = known ? Json(row.iteration) : Json();
    one["exposed_ps"] = known ? Json(row.exposed_ps) : Json();
    one["step_ps"] = time_or_null(row.step_ps);
    one["next_step_ps"] = time_or_null(row.next_step_ps);
    one["undisturbed_step_ps"] = number_or_null(row.undisturbed_step_ps);
    all.push_back(std::move(one));
  }
  return all;
}

Json requests(const RunSummary& run) {
  Json all = Json::array();
  for (const RequestSummary& sum : run.requests) {
    all.push_back(
        {{"generator", sum.asker.generator < 0 ? Json() : Json(sum.asker.generator)},
         {"job", sum.asker.job < 0 ? Json() : Json(sum.asker.job)},
         {"requests", sum.requests},
         {"begun", sum.times.posted},
         {"ended", sum.times.finished},
         {"received_bytes", sum.received_bytes},
         {"bits_per_s", number_or_null(sum.bits_per_s.value_or(std::nan("")))},
         {"requests_per_s", number_or_null(sum.requests_per_s.value_or(std::nan("")))},
         {"time_ps", by_percentile(sum.times, [](const auto& p) { return Json(p.completion_ps); })},
         {"time_at_least", by_percentile(sum.times, [](const auto& p) { return Json(p.completion_at_least); })}});
  }
  return all;
}

/// Returns /summary/iteration and /summary/collective.
Json summaries(const RunSummary& run) {
  if (!run.summaries) return {};
  Json iterations = Json::array(), collectives = Json::array();
  for (const MeanIteration& mean : run.summaries->iterations) {
    Json one = {{"job", mean.job},
                {"iterations", mean.iterations},
                {"ended", mean.ended},
                {"time_ps", number_or_null(mean.time_ps)},
                {"compute_ps", number_or_null(mean.compute_ps)}};
    for (const Group group : kParallelGroups)
      one[fmt::format("exposed_{}_ps", group_name(group))] = number_or_null(mean.exposed_ps[static_cast<u32>(group)]);
    iterations.push_back(std::move(one));
  }
  for (const CollectiveMean& mean : run.summaries->collectives)
    collectives.push_back({{"job", mean.job},
                           {"group", group_name(mean.group)},
                           {"kind", collective_name(mean.kind)},
                           {"algorithm", algorithm_name(mean.algorithm)},
                           {"protocol", protocol_name(mean.protocol)},
                           {"ranks", mean.ranks},
                           {"bytes", mean.bytes},
                           {"driven", mean.driven},
                           {"number", mean.number},
                           {"finished", mean.finished},
                           {"time_ps", number_or_null(mean.time_ps)},
                           {"busbw_GBps", number_or_null(mean.busbw_GBps)},
                           {"transfer_ps", number_or_null(mean.transfer_ps)},
                           {"transfer_busbw_GBps", number_or_null(mean.transfer_busbw_GBps)}});
  return {{"iterations", iterations}, {"collectives", collectives}};
}

Json collectives(const RunSummary& run) {
  if (run.partial()) return {};
  Json all = Json::array();
  for (const CollectiveRow& c : run.collectives) all.push_back(collective(c));
  return all;
}

Json tier(const TierRow& t, TimePs until_ps) {
  const auto time_ps = static_cast<double>(std::max<TimePs>(until_ps, 0));
  return {{"tier", t.tier},
          {"links", t.links},
          {"bits_per_s", t.bits_per_s},
          {"mean_utilisation",
           ratio(static_cast<double>(t.sent_bytes), static_cast<double>(t.bits_per_s) * time_ps / 8e12)},
          {"paused_share", ratio(static_cast<double>(t.paused_ps), static_cast<double>(t.links) * time_ps)},
          {"sent_bytes", t.sent_bytes},
          {"paused_ps", t.paused_ps},
          {"peak_queue_bytes", t.peak_queue_bytes},
          {"ecn_marks", t.ecn_marks},
          {"drops", t.drops}};
}

Json counted(const LinkOutcome& link) {
  Json all;
  for_each_value(
      [&](const auto& column, const auto& value) {
        if constexpr (std::is_same_v<decltype(value), const TimePs&>)
          all[column.name] = time_or_null(value);
        else
          all[column.name] = value;
      },
      link);
  return all;
}

/// Unknown values are null.
void add_balance(const LinkSummary& summary, const LinkKind& kind, Json& one) {
  const LinkBalance& balance = kind.balance;
  const auto ratio = [](double value) { return value > 0 ? Json(value) : Json(); };
  one["busiest_over_mean"] = ratio(balance.busiest_over_mean);
  one["busiest_over_mean_in_time"] = ratio(kind.busiest_over_mean_in_time.value_or(0));
  one["jain_index"] = ratio(balance.jain_index);
  Json uses;
  for (size_t i = 0; summary.use_known && i < kUsePercentiles.size(); ++i)
    uses[kUsePercentiles[i].first] = balance.loads[i];
  one["use_percentiles"] = uses;
  const auto flows = [&](auto value) { return summary.flows_known ? Json(value) : Json(); };
  one["mean_qps"] = flows(kind.mean_qps);
  one["most_qps"] = flows(kind.max_qps);
  one["mean_messages"] = flows(kind.mean_messages);
  one["most_messages"] = flows(kind.max_messages);
}

Json hot_links(const std::vector<HotLink>& links, bool use_known) {
  Json all = Json::array();
  for (const HotLink& link : links) {
    Json one = {{"link", link.name}, {"use", use_known ? Json(link.use) : Json()}};
    one.update(counted(link.counted));
    all.push_back(std::move(one));
  }
  return all;
}

Json links(const LinkSummary& summary) {
  if (summary.empty()) return {};
  Json kinds = Json::array();
  for (const LinkKind& kind : summary.kinds) {
    Json one = {{"kind", kind.name},
                {"links", kind.links},
                {"mean_use", summary.use_known ? Json(kind.mean_use) : Json()},
                {"most_use", summary.use_known ? Json(kind.max_use) : Json()},
                {"most_paused_ps", kind.max_paused_ps}};
    one.update(counted(kind.sum));
    add_balance(summary, kind, one);
    kinds.push_back(std::move(one));
  }
  return {{"kinds", kinds},
          {"busiest", hot_links(summary.busiest, summary.use_known)},
          {"longest_paused", hot_links(summary.longest_paused, summary.use_known)},
          {"longest_queues", hot_links(summary.longest_queues, summary.use_known)}};
}

Json totals(const RunSummary& run) {
  if (run.partial()) return {};
  Json all;
  for_each_total(run.totals, [&](const char* name, u64 sum) {
    all[name] = run.unknown_totals.contains(name) ? Json() : Json(sum);
  });
  return all;
}

}  // namespace

Json time_or_null(TimePs time_ps) { return time_ps < 0 ? Json() : Json(time_ps); }

Json json_of(const RunSummary& run) {
  Json all = {{"file", run.path},
              {"kind", "result"},
              {"status", run.status},
              {"explanation", text_or_null(run.explanation)},
              {"end_ps", time_or_null(run.end_ps)},
              {"digest", text_or_null(run.digest)}};
  all["fabric"] = {{"endpoints", run.endpoints}, {"switches", run.switches}, {"directed_links", run.links}};
  all["clock"] = {{"tick_ps", run.tick_ps},
                  {"seed", run.seed},
                  {"horizon_ps", time_or_null(run.horizon_ps)},
                  {"series_interval_ps", run.series_interval_ps > 0 ? Json(run.series_interval_ps) : Json()}};
  all["software"] = software(run.provenance);
  all["run"] = provenance(run);
  all["hashes"] = hashes(run.provenance);
  all["perf"] = perf(run);
  all["messages"] = messages(run);
  all["requests"] = requests(run);
  all["plans"] = Json::array();
  for (const PlanRow& plan : run.plans)
    all["plans"].push_back({{"measured_ps", plan.measured_ps}, {"from_ps", time_or_null(plan.from_ps)}});
  all["collectives"] = collectives(run);
  all["iterations"] = iterations(run);
  all["training_checkpoints"] = training_checkpoints(run);
  all["summary"] = summaries(run);
  all["series"] = {{"rows", run.series_rows}, {"until_ps", time_or_null(run.last_series_ps)}};
  all["tiers"] = Json::array();
  if (run.series_rows > 0) {
    for (const TierRow& t : run.tiers) all["tiers"].push_back(tier(t, run.last_series_ps));
  }
  all["links"] = links(run.link_summary);
  all["events"] = {{"pfc", run.pfc_events},
                   {"drop", run.drop_events},
                   {"failure", run.failure_events},
                   {"completion", run.completion_events}};
  all["totals"] = totals(run);
  all["configuration_errors"] = run.partial() ? std::vector<std::string>{} : configuration_errors(run.totals);
  return all;
}

std::string line_of(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string describe_run_json(const std::string& path) { return line_of(json_of(read_summary(path))); }

}  // namespace heddle
