#include "host/cli/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "host/base/quantity_text.hpp"
#include "host/config/config.hpp"
#include "io/results/bandwidth.hpp"
#include "io/results/goodput.hpp"
#include "io/results/hot_links.hpp"
#include "io/results/iterations.hpp"
#include "io/results/message_kinds.hpp"
#include "io/results/requests.hpp"
#include "io/results/summaries.hpp"
#include "io/results/text_table.hpp"
#include "io/results/training_checkpoints.hpp"
#include "io/shell_word.hpp"

namespace heddle {
namespace {

std::string group_header(const World& world, const Collective& c) {
  return fmt::format(
      "\n# job {}: {} on {} GPUs\n"
      "#{:>13} {:>14} {:>8} {:>10} {:>8} {:>12} {:>9} {:>9}\n"
      "#{:>13} {:>14} {:>8} {:>10} {:>8} {:>12} {:>9} {:>9}\n",
      world.collectives.jobs[c.job].number, collective_name(c.kind), world.collectives.jobs[c.job].ranks.size(), "size",
      "count", "type", "algorithm", "protocol", "time", "algbw", "busbw", "(B)", "(elements)", "", "", "", "(us)",
      "(GB/s)", "(GB/s)");
}

/// The elements as nccl-tests counts them: of one peer, where every peer sends or receives its own part.
u64 elements_of(const Collective& c, u64 ranks) {
  constexpr u64 kFloatBytes = 4;  // nccl-tests' default type; the model moves bytes only
  switch (c.kind) {
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all:
    case CollectiveKind::all_to_all_v:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
      return c.bytes / kFloatBytes / ranks;
    default:
      return c.bytes / kFloatBytes;
  }
}

std::string collective_row(const World& world, const Outcome& outcome, u32 index) {
  const Collective& c = world.collectives.collectives[index];
  const u64 ranks = world.collectives.jobs[c.job].ranks.size();
  const auto prefix = fmt::format(" {:>13} {:>14} {:>8} {:>10} {:>8}", c.bytes, elements_of(c, ranks), "float",
                                  algorithm_name(c.algorithm), c.composed ? "-" : protocol_name(c.protocol));
  if (outcome.collectives[index].ranks_finished < ranks) {
    return fmt::format("{} {:>12} {:>9} {:>9}   {} of {} ranks finished\n", prefix, "-", "-", "-",
                       outcome.collectives[index].ranks_finished, ranks);
  }
  const CollectiveTiming timing = collective_timing(world, outcome, index);
  return fmt::format("{} {:>12.2f} {:>9.2f} {:>9.2f}\n", prefix, timing.time_us, timing.algbw_GBps, timing.busbw_GBps);
}

/// The repeated collectives of parallel groups. Bandwidth counts from the last rank's entry: that of the network,
/// without the delay of late ranks.
std::string group_table(const World& world, const Outcome& outcome) {
  TextTable table(3);
  for (const CollectiveMean& mean : collective_means(world, outcome)) {
    if (!mean.driven) continue;
    if (table.empty())
      table.row({"group", "collective", "size", "ranks", "number", "mean time", "from the last rank on", "busbw GB/s"});
    const bool whole = mean.finished == mean.number, none = mean.finished == 0;
    const auto time = [&](double ps) { return none ? "-" : human_time(static_cast<TimePs>(ps)); };
    table.row({fmt::format("job {}: {}", mean.job, group_name(mean.group)), std::string(collective_name(mean.kind)),
               size_text(mean.bytes), std::to_string(mean.ranks),
               whole ? std::to_string(mean.number) : fmt::format("{} of {}", mean.finished, mean.number),
               time(mean.time_ps), time(mean.transfer_ps),
               none ? "-" : fmt::format("{:.1f}", mean.transfer_busbw_GBps)});
  }
  return table.empty() ? "" : "\ncollectives of groups, and of stages (means)\n" + table.text();
}

/// "; FCT p50 1.2 ms, p95 >= 2 ms ...", of messages that were posted.
std::string percentiles_text(const MessageTimes& times) {
  std::string text;
  for (const auto& [name, percent] : {std::pair{"p50", 50.0}, {"p95", 95.0}, {"p99", 99.0}, {"max", 100.0}}) {
    const MessagePercentile* p = times.find(percent);
    if (p == nullptr) continue;
    text += fmt::format("{} {} {}", text.empty() ? "; FCT" : ",", name,
                        at_least(time_text(p->completion_ps), p->completion_at_least));
  }
  if (times.finished < times.posted) text += fmt::format(" (of the {} posted; >=: a lower bound)", times.posted);
  return text;
}

/// A line for each kind of messages, where one cannot stand for all.
std::string message_kinds_text(const std::vector<MessageKindSummary>& kinds) {
  std::string text = "\n";
  for (const MessageKindSummary& kind : kinds) {
    text +=
        fmt::format("messages   {}: {} of {} complete{}; {} of payload", name_of(kind), kind.times.finished,
                    kind.messages, percentiles_text(kind.times), bytes_text(static_cast<double>(kind.received_bytes)));
    text += kind.goodput_bits_per_s ? fmt::format(", goodput {}\n", rate_text(*kind.goodput_bits_per_s)) : "\n";
  }
  return text;
}

/// The goodput, of all payload received, whether its messages were completed or not.
std::string goodput_line(const World& world, const Outcome& outcome) {
  const Goodput goodput = goodput_of(world, outcome);
  const bool stalled = outcome.reason == EndReason::stalled;
  const auto bytes = static_cast<double>(goodput.received_bytes());
  const std::string received = bytes_text(bytes);
  const std::optional<double> rate_bps = goodput.bits_per_s(outcome.end_ps, stalled);
  if (!rate_bps) return fmt::format("received   {} of payload\n", received);
  const std::string each =  // several fabrics have nothing in common
      world.fabric.others.empty()
          ? fmt::format(", {} per endpoint of the fabric", rate_text(*rate_bps / world.fabric.endpoints))
          : "";
  return fmt::format("goodput    {} in all ({} payload in {}){}\n", rate_text(*rate_bps), received,
                     time_text(*goodput.span_ps(outcome.end_ps, stalled)), each);
}

std::string about_given_times(const World& world) {
  if (std::ranges::none_of(world.programs.ops, stands_for_communication)) return "";
  return "  data-parallel collectives took given times (job.training.gather, reduce) and were not simulated\n";
}

/// Says so when packets were taken for lost that had only been overtaken.
std::string about_needless_repeats(const RoceSettings& roce, const Totals& t, u64 drops) {
  if (!roce.selective() || drops > 0 || t.data_packets_duplicate == 0) return "";
  if (t.largest_reordering_packets <= roce.reorder_distance_packets) return "";
  return fmt::format(
      "  nothing was lost: packets that had only been overtaken were sent again. roce.reorder_distance_packets = {} is "
      "too\n  small for this fabric; try more, below roce.reorder_window_packets = {}\n",
      roce.reorder_distance_packets, roce.reorder_window_packets);
}

}  // namespace

std::string unfinished_text(const World& world, const Outcome& outcome) {
  std::string text;
  const auto add = [&](u64 left, u64 all, const char* what) {
    if (left != 0) text += fmt::format("{}{} of {} {}", text.empty() ? "Unfinished: " : ", ", left, all, what);
  };
  const auto never_acked = [](const MessageOutcome& message) { return message.acked_ps < 0; };
  add(static_cast<u64>(std::ranges::count_if(outcome.messages, never_acked)), outcome.messages.size(), "messages");
  u64 collectives = 0, iterations = 0;
  for (u32 i = 0; i < outcome.collectives.size(); ++i) {
    const Job& job = world.collectives.jobs[world.collectives.collectives[i].job];
    collectives += outcome.collectives[i].ranks_finished < job.ranks.size();
  }
  add(collectives, outcome.collectives.size(), "collectives");
  const std::vector<IterationRow> rows = iteration_rows(world, outcome);
  for (const IterationRow& row : rows) iterations += !row.ended();
  add(iterations, rows.size(), "iterations of jobs");
  return text;
}

std::string collective_table(const World& world, const Outcome& outcome) {
  constexpr size_t kMaxRows = 200;
  std::string text;
  const auto& all = world.collectives.collectives;
  size_t rows = 0, more = 0;
  const Collective* before = nullptr;
  for (u32 i = 0; i < all.size() && i < outcome.collectives.size(); ++i) {
    if (world.collectives.jobs[all[i].job].by_program) continue;
    if (rows == kMaxRows) {
      ++more;
      continue;
    }
    ++rows;
    if (before == nullptr || all[i].job != before->job || all[i].kind != before->kind)
      text += group_header(world, all[i]);
    text += collective_row(world, outcome, i);
    before = &all[i];
  }
  return more == 0 ? text : text + fmt::format("# ... {} more in the result file\n", more);
}

std::string training_summary(const World& world, const Outcome& outcome) {
  constexpr size_t kMaxRows = 50;
  const std::vector<IterationRow> rows = iteration_rows(world, outcome);
  return (rows.empty() ? "" : iteration_table(rows, kMaxRows)) +
         training_checkpoint_table(training_checkpoints(world, outcome), kMaxRows) + about_given_times(world) +
         group_table(world, outcome);
}

std::string unfinished_steps(const Config& config, const World& world, const Outcome& outcome) {
  if (outcome.reason != EndReason::horizon) return "";
  const std::vector<IterationRow> rows = iteration_rows(world, outcome);
  const auto trains = [&](const IterationRow& row) { return config.jobs[row.job].training.present(); };
  const auto ended = [&](const IterationRow& row) { return trains(row) && row.ended(); };
  if (std::ranges::none_of(rows, trains) || std::ranges::any_of(rows, ended)) return "";
  return fmt::format(
      "\nno iteration ended before simulation.horizon; how long one takes, without simulating all of it:\n"
      "  heddle step {} --set simulation.horizon=0 -o FOLDER\n",
      shell_word(config.path));
}

std::string message_summary(const World& world, const Outcome& outcome) {
  const auto& messages = world.traffic.messages;
  if (messages.empty()) return "";
  const std::string requests = request_table(request_summaries(request_rows(world, outcome), outcome));
  const std::vector<MessageKindSummary> kinds = message_kinds(world, outcome, times_of_messages(world, outcome, false));
  if (told_apart(kinds)) return message_kinds_text(kinds) + requests;
  const MessageTimes& times = kinds.front().times;
  return fmt::format("\nmessages   {} of {} complete{}\n", times.finished, messages.size(), percentiles_text(times)) +
         goodput_line(world, outcome) + requests;
}

std::string link_highlights(const World& world, const Outcome& outcome, const std::string& result_path) {
  const bool stalled = outcome.reason == EndReason::stalled;
  const std::string text =
      hottest_links(summarize_links(link_names(world, outcome.end_ps), outcome.links, outcome.end_ps, stalled));
  if (text.empty()) return "";
  return fmt::format("\n{}           ten of each: heddle info {}\n", text, shell_word(result_path));
}

std::string totals_summary(const World& world, const Totals& t) {
  std::string text = fmt::format("\npacket-hops {}; PFC pauses {} / resumes {}; ECN marks {}; CNPs {}\n", t.packet_hops,
                                 t.pauses, t.resumes, t.marks, t.cnps);
  const u64 limit_drops = t.drops[0], overruns = t.drops[1], overflows = t.drops[2], watchdog = t.drops[3];
  const u64 link_down = t.drops[4], corrupted = t.drops[5], no_route = t.drops[6];
  const u64 by_failures = link_down + corrupted + no_route;
  const u64 all = limit_drops + overruns + overflows + watchdog + by_failures;
  if (all + t.retransmits + t.timeouts > 0) {
    const std::string failures =
        by_failures == 0 ? ""
                         : fmt::format(", link down {}, bit errors {}, no route {}", link_down, corrupted, no_route);
    text +=
        fmt::format("drops {} (class limit {}, headroom {}, pool {}, watchdog {}{}); retransmissions {}; timeouts {}\n",
                    all, limit_drops, overruns, overflows, watchdog, failures, t.retransmits, t.timeouts);
  }
  if (t.flowlets > 0) {
    text += fmt::format("flowlets {}; path changes {}; packets that followed another flow's flowlet {}\n", t.flowlets,
                        t.path_changes, t.flowlet_collisions);
  }
  if (t.detours > 0) text += fmt::format("packets that took a detour {}\n", t.detours);
  if (t.data_packets_out_of_order + t.data_packets_duplicate > 0) {
    text += fmt::format("data packets ahead of a missing one {}, by {} at most; duplicates {}\n",
                        t.data_packets_out_of_order, t.largest_reordering_packets, t.data_packets_duplicate);
    text += about_needless_repeats(world.roce, t, all);
  }
  return text;
}

std::string end_summary(const Outcome& outcome, const std::string& status, const Perf& perf) {
  std::string text =
      fmt::format("\nstatus {} at {}; digest {:016x}\n", status, time_text(outcome.end_ps), outcome.digest);
  if (!outcome.explanation.empty()) text += outcome.explanation + "\n";
  for (const std::string& warning : outcome.warnings) text += "warning: " + warning + "\n";
  const double engine_s = perf.phases.empty() ? perf.wall_s : perf.phases.front().wall_s;
  const double rate = engine_s > 0 ? static_cast<double>(perf.packet_hops) / engine_s : 0;
  const std::string runs = perf.process_runs > 1 ? fmt::format(" in {} process runs", perf.process_runs) : "";
  text += fmt::format("wall time {:.2f} s{} ({:.2f} s in the engine: {:.2f} million packet-hops/s); {} of state\n",
                      perf.wall_s, runs, engine_s, rate * 1e-6, bytes_text(perf.memory_bytes));
  return text;
}

}  // namespace heddle
