// `heddle info`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "io/printable.hpp"
#include "io/results/config_diff.hpp"
#include "io/results/losses.hpp"
#include "io/results/reader.hpp"
#include "io/results/report.hpp"
#include "io/results/text_table.hpp"

namespace heddle {
namespace {

constexpr size_t kMaxCollectives = 20;
constexpr const char* kNoSummaries =
    "  percentiles are not in this file, which an earlier version of heddle wrote; run again\n";

const std::string kLargeConfiguration = fmt::format(
    "  the configuration has more than {} values and is not read for its title and what it gives\n", kMaxShownValues);

using Values = std::map<std::string, std::string>;  // the configuration's values, by key

void add(TextTable& table, const std::string& name, const std::string& value) {
  if (!value.empty()) table.row({name, value});
}

std::string ended(const RunSummary& run) {
  if (run.partial()) {
    const std::string until =
        run.series_rows == 0 ? "" : fmt::format("; series until {}", human_time(run.last_series_ps));
    return fmt::format("partial: killed, or still running{}", until);
  }
  return fmt::format("{} at {}{}{}", run.status, human_time(run.end_ps), run.explanation.empty() ? "" : ": ",
                     run.explanation);
}

/// Returns the title in the configuration; "" when it has none.
std::string title_in(const Values& values) {
  const auto found = values.find("output.title");
  if (found == values.end()) return "";
  std::string title = found->second;
  const bool quoted = title.size() >= 2 && title.front() == title.back() && (title[0] == '"' || title[0] == '\'');
  if (quoted) title = title.substr(1, title.size() - 2);
  return title;
}

std::string head(const RunSummary& run, const Values& values) {
  const Provenance& p = run.provenance;
  TextTable table(2);
  add(table, "title", title_in(values));
  add(table, "status", ended(run));
  add(table, "digest", run.digest);
  add(table, "fabric",
      fmt::format("{} endpoints, {} switches, {} directed links", grouped(run.endpoints), grouped(run.switches),
                  grouped(run.links)));
  add(table, "clock",
      fmt::format("tick {}, seed {}{}", human_time(run.tick_ps), run.seed,
                  run.horizon_ps < 0 ? "" : ", horizon " + human_time(run.horizon_ps)));
  add(table, "software",
      fmt::format("heddle {} {}{}", p.software_version, p.git_commit.substr(0, 12),
                  p.git_dirty ? " (with local changes)" : ""));
  add(table, "build", p.build);
  add(table, "run",
      fmt::format("{} on {}, {} rank(s), {} thread(s){}", p.date, p.devices, p.ranks, p.threads,
                  p.slurm_job_id.empty() ? "" : ", Slurm job " + p.slurm_job_id));
  add(table, "command", p.command_line);
  if (run.perf.wall_s > 0) {
    add(table, "speed",
        fmt::format("{:.2f} s wall, {} packet hops, {:.2f} million a second, {}", run.perf.wall_s,
                    grouped(run.perf.packet_hops), static_cast<double>(run.perf.packet_hops) / run.perf.wall_s / 1e6,
                    human_bytes(run.perf.memory_bytes)));
  }
  if (run.perf.process_runs > 1) {
    const u64 resumed = run.perf.process_runs - 1;
    add(table, "process runs",
        fmt::format("{}: resumed {} time{} from a checkpoint; the wall time is that of all", run.perf.process_runs,
                    resumed, resumed == 1 ? "" : "s"));
  }
  return table.text();
}

std::string goodput(const RunSummary& run) {
  const MessageSummary& m = run.messages;
  if (!m.received_known) return "";
  return fmt::format("  received {}; goodput {} in all, from the first posting to {}\n", human_bytes(m.received_bytes),
                     m.goodput_bits_per_s ? human_rate(static_cast<u64>(*m.goodput_bits_per_s)) : "unknown",
                     m.finished == m.messages ? "the last completion" : "the end of the run");
}

/// Percentiles of each kind, where one cannot stand for all.
std::string message_kinds(const RunSummary& run) {
  std::string out =
      fmt::format("\nmessages: {} of {} finished\n", grouped(run.messages.finished), grouped(run.messages.messages));
  TextTable table;
  std::vector<std::string> head = {"completion (nearest rank)", "finished"};
  for (const auto& [name, percent] : kPercentiles) head.emplace_back(name);
  for (const char* more : {"p99 times the ideal", "received", "goodput"}) head.emplace_back(more);
  table.row(head);
  for (const MessageKindSummary& kind : run.message_kinds) {
    std::vector<std::string> cells = {name_of(kind),
                                      fmt::format("{} of {}", grouped(kind.times.finished), grouped(kind.messages))};
    for (const auto& [name, percent] : kPercentiles) {
      const MessagePercentile* p = kind.times.find(percent);
      cells.push_back(p == nullptr ? "-" : at_least(human_time(p->completion_ps), p->completion_at_least));
    }
    const MessagePercentile* p99 = kind.times.find(99);
    const bool ideal_known = p99 != nullptr && !std::isnan(p99->times_the_ideal);
    cells.push_back(ideal_known ? at_least(fmt::format("{:.3f}", p99->times_the_ideal), p99->ideal_at_least) : "-");
    cells.push_back(human_bytes(kind.received_bytes));
    cells.push_back(kind.goodput_bits_per_s ? human_rate(static_cast<u64>(*kind.goodput_bits_per_s)) : "-");
    table.row(cells);
  }
  return out + table.text();
}

std::string messages(const RunSummary& run) {
  if (told_apart(run.message_kinds)) return message_kinds(run);
  const MessageSummary& m = run.messages;
  if (m.messages == 0) return "";
  std::string out = fmt::format("\nmessages: {} of {} finished\n", grouped(m.finished), grouped(m.messages));
  if (!run.summaries) return out + (run.partial() ? "" : kNoSummaries) + goodput(run);
  const MessageTimes& times = run.summaries->messages;
  if (times.posted == 0) return out + goodput(run);
  TextTable table;
  std::vector<std::string> head = {"percentiles (nearest rank)"}, completion = {"completion"},
                           ideal = {"times the ideal"};
  bool ideal_known = false;
  for (const auto& [name, percent] : kPercentiles) {
    const MessagePercentile* p = times.find(percent);
    head.emplace_back(name);
    completion.push_back(p == nullptr ? "-" : at_least(human_time(p->completion_ps), p->completion_at_least));
    const bool known = p != nullptr && !std::isnan(p->times_the_ideal);
    ideal.push_back(known ? at_least(fmt::format("{:.3f}", p->times_the_ideal), p->ideal_at_least) : "-");
    ideal_known = ideal_known || known;
  }
  table.row(head);
  table.row(completion);
  if (ideal_known) table.row(ideal);
  out += table.text();
  if (times.finished < times.posted)
    out += fmt::format(
        "  of all {} messages that were posted; {} had not finished and count with the time until the "
        "end, so >= is a lower bound\n",
        grouped(times.posted), grouped(times.posted - times.finished));
  return out + goodput(run);
}

std::string slowest(const CollectiveRow& c) {
  return c.slowest_rank < 0 ? "-" : fmt::format("{} ({})", c.slowest_rank, c.slowest_gpu);
}

std::string collectives(const RunSummary& run) {
  if (run.collectives.empty()) return "";
  TextTable table(2);
  table.row({"collective", "algorithm", "protocol", "ranks", "size", "time", "algbw GB/s", "busbw GB/s", "rank spread",
             "slowest rank"});
  for (size_t i = 0; i < std::min(run.collectives.size(), kMaxCollectives); ++i) {
    const CollectiveRow& c = run.collectives[i];
    const bool done = c.finish_ps >= 0;
    table.row({c.kind, c.algorithm, c.protocol, std::to_string(c.ranks), size_text(c.bytes),
               done ? human_time(c.finish_ps - c.start_ps) : fmt::format("{} ranks done", c.ranks_finished),
               done ? fmt::format("{:.3f}", c.algbw_GBps) : "-", done ? fmt::format("{:.3f}", c.busbw_GBps) : "-",
               done ? human_time(c.finish_ps - c.first_rank_ps) : "-", slowest(c)});
  }
  std::string out = "\ncollectives\n" + table.text();
  if (run.collectives.size() > kMaxCollectives) {
    out += fmt::format("  and {} more in /collective\n", run.collectives.size() - kMaxCollectives);
  }
  return out;
}

std::string tiers(const RunSummary& run) {
  if (run.series_rows == 0) return "";
  TextTable table;
  table.row({"links", "number", "mean use", "paused", "peak queue", "ECN marks", "drops"});
  for (const TierRow& t : run.tiers) {
    // bit/s * ps / 8e12 = bytes that the links could have carried
    const double could = static_cast<double>(t.bits_per_s) * static_cast<double>(run.last_series_ps) / 8e12;
    const double link_time_ps = static_cast<double>(t.links) * static_cast<double>(run.last_series_ps);
    table.row(
        {t.tier, std::to_string(t.links),
         fmt::format("{:.2f} %", could > 0 ? std::min(100.0, 100 * static_cast<double>(t.sent_bytes) / could) : 0),
         fmt::format("{:.3f} %", link_time_ps > 0 ? 100 * static_cast<double>(t.paused_ps) / link_time_ps : 0),
         human_bytes(t.peak_queue_bytes), grouped(t.ecn_marks), grouped(t.drops)});
  }
  return fmt::format(
             "\nseries of links until {} ({} rows; paused: summed over the lossless classes; queues summed per kind; "
             "drops by the node that a link leaves)\n",
             human_time(run.last_series_ps), grouped(run.series_rows)) +
         table.text();
}

std::string totals(const RunSummary& run) {
  const Totals& t = run.totals;
  if (run.partial()) {
    return fmt::format("\nevents so far: {} PFC, {} drops, {} completions\n", grouped(run.pfc_events),
                       grouped(run.drop_events), grouped(run.completion_events));
  }
  std::string out = fmt::format(
      "\nPFC: {} pauses, {} resumes; ECN marks {}, CNPs {}\n"
      "loss: {} class limit, {} headroom overrun, {} pool overflow, {} watchdog; {} retransmissions, {} timeouts\n",
      grouped(t.pauses), grouped(t.resumes), grouped(t.marks), grouped(t.cnps), grouped(t.drops[0]),
      grouped(t.drops[1]), grouped(t.drops[2]), grouped(t.drops[3]), grouped(t.retransmits), grouped(t.timeouts));
  const auto lost = [&](DropCause cause) { return grouped(t.drops[static_cast<u32>(cause)]); };
  if (run.failure_events > 0)
    out += fmt::format(
        "failures: {} changes of links; lost {} by links that were down, {} by bit errors, {} without a way\n",
        grouped(run.failure_events), lost(DropCause::link_down), lost(DropCause::corrupted), lost(DropCause::no_route));
  if (t.flowlets != 0)
    out += fmt::format("flowlets: {} begun, {} path changes; {} packets followed another flow's (shared entries)\n",
                       grouped(t.flowlets), grouped(t.path_changes), grouped(t.flowlet_collisions));
  if (t.detours != 0) out += fmt::format("detours: {} packets went through a third group\n", grouped(t.detours));
  if (!run.unknown_totals.contains("data_packets_out_of_order"))
    out += fmt::format("order: {} data packets came ahead of a missing one, by {} at most; {} duplicates\n",
                       grouped(t.data_packets_out_of_order), grouped(t.largest_reordering_packets),
                       grouped(t.data_packets_duplicate));
  for (const std::string& error : configuration_errors(t)) out += error + "\n";
  return out;
}

/// Returns the times that a training job was configured with but did not simulate.
std::string given_times(const Values& values) {
  std::string text;
  for (const auto& [key, value] : values) {
    const bool may_be = key.ends_with(".training.gather") || key.ends_with(".training.reduce");
    const bool given = may_be && value.find_first_of("123456789") != std::string::npos;
    if (given) text += fmt::format("  {} = {}: given, not simulated\n", key, value);
  }
  return text;
}

}  // namespace

std::string describe_run(const std::string& path) {
  const RunSummary run = read_summary(path);
  const bool is_large = has_too_many_values(run.config_toml);
  const Values values = is_large ? Values() : flatten_toml(run.config_toml, run.path);
  return printable(printable_name(path) + "\n" + head(run, values) + (is_large ? kLargeConfiguration : "") +
                   messages(run) + request_table(run.requests) + plan_summary(run.plans) + collectives(run) +
                   iteration_table(run.iterations, kMaxCollectives) +
                   training_checkpoint_table(run.training_checkpoints, kMaxCollectives) + given_times(values) +
                   tiers(run) + describe_links(run.link_summary) + totals(run));
}

}  // namespace heddle
