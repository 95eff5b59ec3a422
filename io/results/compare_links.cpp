#include "io/results/compare_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "io/results/compare_row.hpp"

namespace heddle {
namespace {

using Runs = std::span<const RunSummary>;

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

/// The fabric of the NICs that send on a kind of link: "frontend" of "endpoint>frontend.leaf"; empty for other links.
std::string fabric_of_nics(const LinkKind& kind) {
  if (!kind.name.starts_with("endpoint")) return "";
  const std::string to = kind.name.substr(kind.name.find('>') + 1);
  const size_t dot = to.find('.');
  return dot == std::string::npos ? "gpus" : to.substr(0, dot);
}

/// What the NICs of each fabric sent, collectives and headers included, and its rate until the end of the run. Adds no
/// rows where all runs have one fabric.
void add_fabrics(TextTable& table, Runs runs) {
  std::vector<std::string> fabrics;
  for (const RunSummary& run : runs) {
    for (const LinkKind& kind : run.link_summary.kinds) {
      const std::string name = fabric_of_nics(kind);
      if (!name.empty() && std::ranges::find(fabrics, name) == fabrics.end()) fabrics.push_back(name);
    }
  }
  if (fabrics.size() < 2) return;
  for (const std::string& name : fabrics) {
    add_row(table, fmt::format("sent by NICs, {}", name), runs, [&](const RunSummary& run) {
      u64 bytes = 0;
      for (const LinkKind& kind : run.link_summary.kinds)
        if (fabric_of_nics(kind) == name) bytes += kind.sum.sent_bytes;
      if (run.link_summary.empty()) return Shown{};
      const auto sent = static_cast<double>(bytes);
      const bool timed = run.end_ps > 0 && run.status != "stalled";
      const u64 bits_per_s = timed ? static_cast<u64>(sent * 8e12 / static_cast<double>(run.end_ps)) : 0;
      return Shown{human_bytes(bytes) + (timed ? fmt::format(", {}", human_rate(bits_per_s)) : ""), sent};
    });
  }
}

}  // namespace

void link_rows(Runs runs, TextTable& table) {
  add_fabrics(table, runs);
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
