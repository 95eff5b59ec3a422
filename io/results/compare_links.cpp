#include "io/results/compare_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace heddle {
namespace {

using Runs = std::span<const RunSummary>;

/// One row: what `get` says of each run and, where that is a number above 0, its ratio to the first run's.
struct Shown {
  std::string text = "-";
  double value = 0;
};

void add_row(TextTable& table, const std::string& name, Runs runs, const std::function<Shown(const RunSummary&)>& get) {
  std::vector<std::string> cells = {name};
  double base = 0;
  for (const RunSummary& run : runs) {
    const Shown shown = get(run);
    const bool first = cells.size() == 1;
    if (first) base = shown.value;
    const bool ratio = !first && base > 0 && shown.text != "-";
    cells.push_back(ratio ? fmt::format("{} ({:.3f}x)", shown.text, shown.value / base) : shown.text);
  }
  table.row(cells);
}

using List = std::vector<HotLink> LinkSummary::*;

/// A row about the first link of a list, and one that names it. None where no run has such a link.
void add_hottest(TextTable& table, const std::string& name, Runs runs, List list,
                 const std::function<Shown(const LinkSummary&, const HotLink&)>& get) {
  const auto none = [&](const RunSummary& run) { return (run.link_summary.*list).empty(); };
  if (std::all_of(runs.begin(), runs.end(), none)) return;
  add_row(table, name, runs, [&](const RunSummary& run) {
    return none(run) ? Shown{} : get(run.link_summary, (run.link_summary.*list).front());
  });
  add_row(table, "  of", runs, [&](const RunSummary& run) {
    return none(run) ? Shown{} : Shown{(run.link_summary.*list).front().name, 0};
  });
}

/// Kinds of which some run has one that is `wanted`, in the order in which they come.
std::vector<std::string> kinds_where(Runs runs, const std::function<bool(const LinkKind&)>& wanted) {
  std::vector<std::string> names;
  for (const RunSummary& run : runs) {
    for (const LinkKind& kind : run.link_summary.kinds) {
      if (wanted(kind) && std::find(names.begin(), names.end(), kind.name) == names.end()) names.push_back(kind.name);
    }
  }
  return names;
}

Shown number(double value) { return value > 0 ? Shown{fmt::format("{:.3f}", value), value} : Shown{}; }

/// A row about one kind of link.
void add_kind_row(TextTable& table, const std::string& name, Runs runs, const std::string& kind_name,
                  const std::function<Shown(const LinkSummary&, const LinkKind&)>& get) {
  add_row(table, name, runs, [&](const RunSummary& run) {
    for (const LinkKind& kind : run.link_summary.kinds) {
      if (kind.name == kind_name) return get(run.link_summary, kind);
    }
    return Shown{};
  });
}

}  // namespace

void goodput_rows(Runs runs, TextTable& table) {
  const auto knows = [](const RunSummary& run) { return run.messages.received_known && run.messages.messages != 0; };
  if (std::none_of(runs.begin(), runs.end(), knows)) return;
  add_row(table, "message bytes received", runs, [&](const RunSummary& run) {
    if (!knows(run)) return Shown{};
    const u64 bytes = run.messages.received_bytes;
    return Shown{grouped(bytes), static_cast<double>(bytes)};
  });
  add_row(table, "goodput", runs, [&](const RunSummary& run) {
    if (!knows(run)) return Shown{};
    const std::optional<double> rate = run.messages.goodput_bits_per_s;
    return rate ? Shown{human_rate(static_cast<u64>(*rate)), *rate} : Shown{};
  });
}

void link_rows(Runs runs, TextTable& table) {
  add_hottest(table, "busiest link", runs, &LinkSummary::busiest, [](const LinkSummary& links, const HotLink& link) {
    return links.use_known ? Shown{fmt::format("{:.2f} %", 100 * link.use), link.use} : Shown{};
  });
  add_hottest(table, "longest paused link", runs, &LinkSummary::longest_paused,
              [](const LinkSummary&, const HotLink& link) {
                return Shown{human_time(static_cast<TimePs>(link.counted.paused_ps)),
                             static_cast<double>(link.counted.paused_ps)};
              });
  add_hottest(table, "largest queue", runs, &LinkSummary::longest_queues, [](const LinkSummary&, const HotLink& link) {
    return Shown{human_bytes(link.counted.peak_queue_bytes), static_cast<double>(link.counted.peak_queue_bytes)};
  });
  for (const std::string& name :
       kinds_where(runs, [](const LinkKind& kind) { return kind.sum.peak_queue_bytes != 0; })) {
    add_kind_row(table, fmt::format("largest queue, {} links", name), runs, name,
                 [](const LinkSummary&, const LinkKind& kind) {
                   return Shown{human_bytes(kind.sum.peak_queue_bytes), static_cast<double>(kind.sum.peak_queue_bytes)};
                 });
  }
  for (const std::string& name : kinds_where(runs, [](const LinkKind& kind) { return kind.balance_matters(); })) {
    add_kind_row(table, fmt::format("busiest/mean, {} links", name), runs, name,
                 [](const LinkSummary&, const LinkKind& kind) { return number(kind.balance.busiest_over_mean); });
    add_kind_row(table, fmt::format("Jain index, {} links", name), runs, name,
                 [](const LinkSummary&, const LinkKind& kind) { return number(kind.balance.jain_index); });
    add_kind_row(table, fmt::format("QPs of a link, most, {} links", name), runs, name,
                 [](const LinkSummary& links, const LinkKind& kind) {
                   return links.flows_known ? Shown{grouped(kind.max_qps), static_cast<double>(kind.max_qps)} : Shown{};
                 });
  }
}

}  // namespace heddle
