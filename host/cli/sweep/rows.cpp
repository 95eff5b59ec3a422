#include "host/cli/sweep/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "host/cli/ends.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/sweep/result.hpp"
#include "io/results/text_table.hpp"
#include "kernels/outcome/totals.hpp"

namespace heddle {
namespace {

/// One collective of a configuration: job, kind, bytes, and a number among equal ones. The algorithm is no part of the
/// key, as the sweep may compare algorithms.
using CollectiveKey = std::tuple<u32, std::string, u64, u32>;
using Busbw = std::map<CollectiveKey, SweepCell>;

std::string name_of(const CollectiveKey& key) {
  const auto& [job, kind, bytes, occurrence] = key;
  std::string name = fmt::format("{} {}", kind, size_text(bytes));
  if (job != 0) name = fmt::format("job {}: {}", job, name);
  if (occurrence != 0) name += fmt::format(" #{}", occurrence + 1);
  return name;
}

Busbw busbw_of(const RunSummary& run) {
  Busbw by_key;
  std::map<CollectiveKey, u32> seen;
  for (const CollectiveRow& c : run.collectives) {
    CollectiveKey key{c.job, c.kind, c.bytes, 0};
    std::get<3>(key) = seen[key]++;
    by_key[key] = c.finish_ps >= 0 ? SweepCell{.value = c.busbw_GBps}
                                   : SweepCell{.value = static_cast<double>(c.ranks_finished),
                                               .of = static_cast<double>(c.ranks),
                                               .finished = false};
  }
  return by_key;
}

std::vector<SweepColumn> outcome_columns() {
  std::vector<SweepColumn> columns = {
      {"end", SweepUnit::time_ps}, {"messages", SweepUnit::share}, {"completion p50", SweepUnit::time_ps},
      {"p99", SweepUnit::time_ps}, {"max", SweepUnit::time_ps},    {"goodput", SweepUnit::bits_per_s}};
  const Totals none;
  for_each_total(none, [&](const char* name, u64) { columns.push_back({name, SweepUnit::count}); });
  return columns;
}

/// What the columns of messages show: the workload's own alone. Checkpoints have columns of their own.
struct ShownMessages {
  const MessageTimes* times = nullptr;
  std::optional<double> goodput_bits_per_s;
};

ShownMessages shown_messages(const RunSummary& run) {
  const auto& kinds = run.message_kinds;
  if (std::ranges::all_of(kinds, &MessageKindSummary::own))
    return {run.summaries ? &run.summaries->messages : nullptr, run.messages.goodput_bits_per_s};
  const auto own = std::ranges::find_if(kinds, &MessageKindSummary::own);
  const auto is_alone = std::ranges::count_if(kinds, &MessageKindSummary::own) == 1;
  if (own == kinds.end() || !is_alone) return {};  // several kinds are not mixed
  return {&own->times, own->goodput_bits_per_s};
}

std::vector<std::optional<SweepCell>> outcome_of(const RunSummary& run) {
  const MessageSummary& m = run.messages;
  const ShownMessages shown = shown_messages(run);
  std::vector<std::optional<SweepCell>> cells;
  const auto add = [&](bool there, double value, double of = 0) {
    cells.push_back(there ? std::optional(SweepCell{.value = value, .of = of}) : std::nullopt);
  };
  add(run.end_ps >= 0, static_cast<double>(run.end_ps));
  add(m.messages > 0, static_cast<double>(m.finished), static_cast<double>(m.messages));
  for (const double percent : {50.0, 99.0, 100.0}) {
    const MessagePercentile* p = shown.times != nullptr ? shown.times->find(percent) : nullptr;
    add(p != nullptr, p == nullptr ? 0 : static_cast<double>(p->completion_ps));
    if (p != nullptr) cells.back()->at_least = p->completion_at_least;
  }
  add(m.messages > 0 && shown.goodput_bits_per_s, shown.goodput_bits_per_s.value_or(0));
  for_each_total(run.totals,
                 [&](const char* name, u64 sum) { add(!run.unknown_totals.contains(name), static_cast<double>(sum)); });
  return cells;
}

/// Removes sums that are zero everywhere, and completion times where there are no messages.
void leave_out_empty(SweepRows& all) {
  std::vector<SweepColumn> shown;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < all.outcome.size(); ++i) {
    const bool zero_is_none = all.outcome[i].unit == SweepUnit::count;
    const auto has = [&](const SweepRow& row) {
      return !row.outcome.empty() && row.outcome[i] && !(zero_is_none && row.outcome[i]->value == 0);
    };
    if (!std::any_of(all.rows.begin(), all.rows.end(), has)) continue;
    shown.push_back(all.outcome[i]);
    places.push_back(i);
  }
  for (SweepRow& row : all.rows) {
    std::vector<std::optional<SweepCell>> cells;
    cells.reserve(places.size());
    for (const std::size_t i : places) cells.push_back(row.outcome.empty() ? std::nullopt : row.outcome[i]);
    row.outcome = std::move(cells);
  }
  all.outcome = std::move(shown);
}

const LinkKind* find_kind(const SweepRow& row, const std::string& name) {
  if (!row.result) return nullptr;
  const std::vector<LinkKind>& kinds = row.result->link_summary.kinds;
  const auto found = std::ranges::find(kinds, name, &LinkKind::name);
  return found == kinds.end() || !found->balance_matters() ? nullptr : &*found;
}

/// Adds the load balance of the links between switches, a column per kind of link that some run has and has used.
void add_balance(SweepRows& all) {
  std::set<std::string> names;
  for (const SweepRow& row : all.rows) {
    if (!row.result) continue;
    for (const LinkKind& kind : row.result->link_summary.kinds)
      if (kind.balance_matters()) names.insert(kind.name);
  }
  for (const std::string& name : names) {
    all.outcome.push_back({name + " busiest/mean", SweepUnit::ratio});
    for (SweepRow& row : all.rows) {
      const LinkKind* kind = find_kind(row, name);
      row.outcome.push_back(kind == nullptr ? std::nullopt
                                            : std::optional(SweepCell{.value = kind->balance.busiest_over_mean}));
    }
  }
}

/// Adds the mean times of the iterations of training jobs that some run has.
void add_iterations(SweepRows& all) {
  const std::vector<MeanIteration> none;
  std::vector<const std::vector<MeanIteration>*> means;
  std::set<std::pair<u32, u32>> groups;  // job, 1 + Group; 0: the iteration itself
  for (const SweepRow& row : all.rows) {
    means.push_back(row.result && row.result->summaries ? &row.result->summaries->iterations : &none);
    for (const MeanIteration& mean : *means.back()) {
      groups.insert({mean.job, 0});
      for (const Group group : exposed_groups(row.result->iterations))
        groups.insert({mean.job, 1 + static_cast<u32>(group)});
    }
  }
  for (const auto& [job, group] : groups) {
    const std::string what =
        group == 0 ? "iteration" : fmt::format("exposed, {}", group_name(static_cast<Group>(group - 1)));
    all.outcome.push_back({job == 0 ? what : fmt::format("job {}: {}", job, what), SweepUnit::time_ps});
    for (std::size_t r = 0; r < all.rows.size(); ++r) {
      const auto found = std::ranges::find(*means[r], job, &MeanIteration::job);
      if (found == means[r]->end() || found->ended == 0) {
        all.rows[r].outcome.push_back(std::nullopt);
      } else {
        SweepCell cell{.value = group == 0 ? found->time_ps : found->exposed_ps[group - 1]};
        cell.ended = found->ended, cell.begun = found->iterations;
        all.rows[r].outcome.push_back(cell);
      }
    }
  }
}

std::set<Asker> askers_of(const SweepRows& all) {
  std::set<Asker> askers;
  for (const SweepRow& row : all.rows) {
    if (!row.result) continue;
    for (const RequestSummary& sum : row.result->requests) askers.insert(sum.asker);
  }
  return askers;
}

/// Adds a column of the requests of each generator, and for each job's data. `get` returns a cell of a RequestSummary,
/// or nothing.
template <class Get>
void add_request_column(SweepRows& all, const std::string& name, SweepUnit unit, const Get& get) {
  const std::set<Asker> askers = askers_of(all);
  for (const Asker& asker : askers) {
    all.outcome.push_back({askers.size() == 1 ? name : name_of(asker) + ": " + name, unit});
    for (SweepRow& row : all.rows) {
      row.outcome.push_back(std::nullopt);
      if (!row.result) continue;
      const auto found = std::ranges::find(row.result->requests, asker, &RequestSummary::asker);
      if (found != row.result->requests.end()) row.outcome.back() = get(*found);
    }
  }
}

/// Adds median and 99 % of the times of requests, and the rate of their answers.
void add_requests(SweepRows& all) {
  for (const double percent : {50.0, 99.0}) {
    add_request_column(all, fmt::format("requests p{}", percent), SweepUnit::time_ps, [&](const RequestSummary& sum) {
      const MessagePercentile* p = sum.times.find(percent);
      if (p == nullptr) return std::optional<SweepCell>();
      return std::optional(
          SweepCell{.value = static_cast<double>(p->completion_ps), .at_least = p->completion_at_least});
    });
  }
  add_request_column(all, "answers", SweepUnit::bits_per_s, [](const RequestSummary& sum) {
    return sum.bits_per_s ? std::optional(SweepCell{.value = *sum.bits_per_s}) : std::nullopt;
  });
}

/// Adds how long after they were measured a controller's plans came into force.
void add_plans(SweepRows& all) {
  const auto has_plans = [](const SweepRow& row) { return row.result && !row.result->plans.empty(); };
  if (std::ranges::none_of(all.rows, has_plans)) return;
  const auto add = [&](const char* name, TimePs PlanDelays::*delay_ps) {
    all.outcome.push_back({name, SweepUnit::time_ps});
    for (SweepRow& row : all.rows) {
      const TimePs ps = has_plans(row) ? plan_delays(row.result->plans).*delay_ps : -1;
      row.outcome.push_back(ps < 0 ? std::nullopt : std::optional(SweepCell{.value = static_cast<double>(ps)}));
    }
  };
  add("median plan delay", &PlanDelays::median_ps);
  add("longest plan delay", &PlanDelays::most_ps);
}

/// The checkpoint of a job that took longest; null where none has ended.
const TrainingCheckpoint* longest_checkpoint(const SweepRow& row, u32 job) {
  const TrainingCheckpoint* longest = nullptr;
  if (!row.result) return nullptr;
  for (const TrainingCheckpoint& one : row.result->training_checkpoints) {
    if (one.job != job || !one.ended()) continue;
    if (longest == nullptr || one.end_ps - one.begin_ps > longest->end_ps - longest->begin_ps) longest = &one;
  }
  return longest;
}

/// Adds how long the longest checkpoint of each job took, with its step and the next one.
void add_checkpoints(SweepRows& all) {
  std::set<u32> jobs;
  for (const SweepRow& row : all.rows) {
    if (!row.result) continue;
    for (const TrainingCheckpoint& one : row.result->training_checkpoints) jobs.insert(one.job);
  }
  for (const u32 job : jobs) {
    const auto add = [&](const char* name, const auto& time_of) {
      all.outcome.push_back({job == 0 ? name : fmt::format("job {}: {}", job, name), SweepUnit::time_ps});
      for (SweepRow& row : all.rows) {
        const TrainingCheckpoint* longest = longest_checkpoint(row, job);
        const TimePs time_ps = longest == nullptr ? -1 : time_of(*longest);
        row.outcome.push_back(time_ps < 0 ? std::nullopt
                                          : std::optional(SweepCell{.value = static_cast<double>(time_ps)}));
      }
    };
    add("longest checkpoint", [](const TrainingCheckpoint& one) { return one.end_ps - one.begin_ps; });
    add("its step", [](const TrainingCheckpoint& one) { return one.step_ps; });
    add("next step", [](const TrainingCheckpoint& one) { return one.next_step_ps; });
  }
}

void set_busbw(const std::vector<Busbw>& by_key, SweepRows& all) {
  std::map<CollectiveKey, bool> keys;
  for (const Busbw& run : by_key) {
    for (const auto& [key, value] : run) keys[key] = true;
  }
  for (const auto& [key, used] : keys) {
    all.busbw.push_back({name_of(key), SweepUnit::busbw_GBps});
    for (std::size_t i = 0; i < all.rows.size(); ++i) {
      const auto found = by_key[i].find(key);
      all.rows[i].busbw.push_back(found == by_key[i].end() ? std::nullopt : std::optional(found->second));
    }
  }
}

Busbw take_result(SweepRow& row, SweepRows& all) {
  SweepResult result = read_result(row.run);
  all.deciding += result.deciding;
  all.beside += result.beside;
  row.problem = result.summary ? result.deciding : fmt::format("\n  {}: {}", row.run.name, result.unreadable);
  if (!result.summary) {
    row.status = kUnreadable;
    all.unreadable += row.problem;
    return {};
  }
  row.as_configured = row.has_result = result.as_configured();
  row.counts = row.has_result && exit_code_of(result.summary->status) == kExitComplete;
  row.status = result.summary->status;
  if (!row.as_configured) row.status += fmt::format(", {}", kOtherConfiguration);
  row.outcome = outcome_of(*result.summary);
  Busbw by_key = busbw_of(*result.summary);
  row.result = std::move(result.summary);
  return by_key;
}

}  // namespace

std::string text_of(SweepRunState state) {
  switch (state) {
    case SweepRunState::ended:
      return "ended";
    case SweepRunState::saved:
      return "PARTIAL, saved";
    case SweepRunState::partial:
      return "PARTIAL";
    case SweepRunState::missing:
      return "MISSING";
  }
  return "";
}

SweepRows read_rows(const SweepFolder& sweep) {
  SweepRows all{outcome_columns(), {}, {}, {}, {}, {}};
  std::vector<Busbw> by_key;
  for (const SweepEntry& run : sweep.runs) {
    SweepRow row;
    row.run = run;
    row.status = text_of(run.state);
    by_key.push_back(run.state == SweepRunState::ended ? take_result(row, all) : Busbw());
    all.rows.push_back(std::move(row));
  }
  leave_out_empty(all);
  add_requests(all);
  add_plans(all);
  add_balance(all);
  add_iterations(all);
  add_checkpoints(all);
  set_busbw(by_key, all);
  return all;
}

}  // namespace heddle
