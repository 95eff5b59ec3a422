// `heddle compare`.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "io/error.hpp"
#include "io/printable.hpp"
#include "io/results/compare_checkpoints.hpp"
#include "io/results/compare_links.hpp"
#include "io/results/compare_messages.hpp"
#include "io/results/compare_plans.hpp"
#include "io/results/compare_requests.hpp"
#include "io/results/config_diff.hpp"
#include "io/results/reader.hpp"
#include "io/results/report.hpp"
#include "io/results/text_table.hpp"
#include "kernels/outcome/totals.hpp"

namespace heddle {
namespace {

using Runs = std::vector<RunSummary>;

std::string letter(size_t run) {
  return run < 26 ? std::string(1, static_cast<char>('A' + run)) : fmt::format("R{}", run + 1);
}

std::vector<std::string> header(const Runs& runs, const std::string& first) {
  std::vector<std::string> cells = {first};
  for (size_t i = 0; i < runs.size(); ++i) cells.push_back(letter(i));
  return cells;
}

/// "12.3 us (0.91x)": a value and its ratio to the first run's.
std::string with_ratio(const std::string& text, double value, double base, bool first) {
  if (first || !(base > 0)) return text;
  return fmt::format("{} ({:.3f}x)", text, value / base);
}

std::string legend(const Runs& runs) {
  TextTable table(3);
  for (size_t i = 0; i < runs.size(); ++i) table.row({letter(i), printable_name(runs[i].path), runs[i].status});
  return table.text();
}

std::string configuration(const Runs& runs) {
  constexpr size_t kMaxRows = 1000, kMaxCellBytes = 1000;
  const auto is_large = [](const RunSummary& run) { return has_too_many_values(run.config_toml); };
  if (std::ranges::any_of(runs, is_large))
    return fmt::format("\nconfiguration: not compared, as one has more than {} values\n", kMaxShownValues);
  std::vector<std::map<std::string, std::string>> configs;
  for (const RunSummary& run : runs) configs.push_back(flatten_toml(run.config_toml, run.path + "/config"));
  const std::vector<ConfigDifference> different = differences(configs);
  if (different.empty()) return "\nconfiguration: the same\n";
  TextTable table(1 + static_cast<u32>(runs.size()));
  table.row(header(runs, "key"));
  for (size_t i = 0; i < std::min(different.size(), kMaxRows); ++i) {
    std::vector<std::string> cells = {different[i].key};
    for (const std::string& value : different[i].values)
      cells.push_back(value.size() <= kMaxCellBytes ? value : value.substr(0, kMaxCellBytes) + "...");
    table.row(cells);
  }
  const std::string more =
      different.size() <= kMaxRows ? "" : fmt::format("  and {} more keys\n", different.size() - kMaxRows);
  return "\nconfiguration: what differs\n" + table.text() + more;
}

/// A table for people compares at most so many collectives of a run; /collective has all.
constexpr size_t kMaxCollectives = 10'000;

/// Collectives are matched by what they do, and by their order among equals.
using Key = std::tuple<u32, std::string, u32, u64, u32>;  // job, kind, ranks, bytes, occurrence

size_t compared_collectives(const RunSummary& run) { return std::min(run.collectives.size(), kMaxCollectives); }

struct Matched {
  std::vector<Key> order;
  std::map<Key, std::vector<const CollectiveRow*>> rows;  // one per run, null where it has none
};

Matched match(const Runs& runs) {
  Matched matched;
  for (size_t r = 0; r < runs.size(); ++r) {
    std::map<Key, u32> seen;
    for (const CollectiveRow& c : std::span(runs[r].collectives).first(compared_collectives(runs[r]))) {
      Key key{c.job, c.kind, c.ranks, c.bytes, 0};
      std::get<4>(key) = seen[key]++;
      const auto [found, is_new] = matched.rows.try_emplace(key, runs.size(), nullptr);
      if (is_new) matched.order.push_back(key);
      found->second[r] = &c;
    }
  }
  return matched;
}

std::string collectives(const Runs& runs) {
  const Matched matched = match(runs);
  if (matched.order.empty()) return "";
  TextTable table(2);
  std::vector<std::string> head = {"collective", "ranks", "size"};
  for (size_t r = 0; r < runs.size(); ++r) {
    head.push_back(letter(r) + " algorithm");
    head.push_back(letter(r) + " time");
    head.push_back(letter(r) + " busbw GB/s");
  }
  table.row(head);
  for (const Key& key : matched.order) {
    const auto& [job, kind, ranks, bytes, occurrence] = key;
    std::vector<std::string> cells = {kind, std::to_string(ranks), size_text(bytes)};
    const std::vector<const CollectiveRow*>& rows = matched.rows.at(key);
    const double base =
        rows[0] != nullptr && rows[0]->finish_ps >= 0 ? static_cast<double>(rows[0]->finish_ps - rows[0]->start_ps) : 0;
    for (size_t r = 0; r < runs.size(); ++r) {
      const bool done = rows[r] != nullptr && rows[r]->finish_ps >= 0;
      const TimePs time_ps = done ? rows[r]->finish_ps - rows[r]->start_ps : -1;
      cells.push_back(rows[r] != nullptr ? rows[r]->algorithm + " " + rows[r]->protocol : "-");
      cells.push_back(done ? with_ratio(human_time(time_ps), static_cast<double>(time_ps), base, r == 0) : "-");
      cells.push_back(done ? fmt::format("{:.3f}", rows[r]->busbw_GBps) : "-");
    }
    table.row(cells);
  }
  std::string more;
  for (size_t r = 0; r < runs.size(); ++r) {
    const size_t left_out = runs[r].collectives.size() - compared_collectives(runs[r]);
    if (left_out > 0) more += fmt::format("  and {} more in /collective of {}\n", left_out, letter(r));
  }
  return "\ncollectives (ratios of times to A)\n" + table.text() + more;
}

/// Their means and percentiles are "-".
std::string about_earlier_versions(const Runs& runs) {
  std::string which;
  for (size_t i = 0; i < runs.size(); ++i)
    if (!runs[i].partial() && !runs[i].summaries) which += (which.empty() ? "" : ", ") + letter(i);
  return which.empty() ? ""
                       : fmt::format("an earlier version wrote {}, without percentiles and means: run again\n", which);
}

/// 0 where the job is not in the run, or none of its iterations ended.
const MeanIteration* mean_of(const RunSummary& run, u32 job) {
  if (!run.summaries) return nullptr;
  const auto found = std::ranges::find(run.summaries->iterations, job, &MeanIteration::job);
  return found == run.summaries->iterations.end() || found->ended == 0 ? nullptr : &*found;
}

/// Means over the iterations of each job; where not all ended, of how many, and no ratio.
std::string iterations(const Runs& runs) {
  std::set<u32> jobs;
  std::vector<IterationRow> all;
  for (const RunSummary& run : runs) {
    for (const IterationRow& row : run.iterations) jobs.insert(row.job);
    all.insert(all.end(), run.iterations.begin(), run.iterations.end());
  }
  if (jobs.empty()) return "";
  TextTable table;
  table.row(header(runs, ""));
  const auto row = [&](u32 job, const std::string& name, const auto& get) {
    std::vector<std::string> cells = {fmt::format("job {}: {}", job, name)};
    double base = 0;
    for (size_t r = 0; r < runs.size(); ++r) {
      const MeanIteration* mean = mean_of(runs[r], job);
      if (mean == nullptr) {
        cells.emplace_back("-");
        continue;
      }
      const double time_ps = get(*mean);
      const bool whole = mean->ended == mean->iterations;
      if (r == 0 && whole) base = time_ps;
      const std::string text = human_time(static_cast<TimePs>(time_ps));
      cells.push_back(whole ? with_ratio(text, time_ps, base, r == 0)
                            : fmt::format("{} (of {} of {})", text, mean->ended, mean->iterations));
    }
    table.row(cells);
  };
  for (const u32 job : jobs) {
    row(job, "iteration", [](const MeanIteration& m) { return m.time_ps; });
    row(job, "computing", [](const MeanIteration& m) { return m.compute_ps; });
    for (const Group group : exposed_groups(all)) {
      row(job, fmt::format("exposed, {}", group_name(group)),
          [&](const MeanIteration& m) { return m.exposed_ps[static_cast<u32>(group)]; });
    }
  }
  return "\niterations (means over iterations and GPUs; ratios to A)\n" + table.text();
}

/// One row per sum, under the name that it has in the file.
void count_rows(const Runs& runs, TextTable& table) {
  std::vector<std::vector<std::string>> rows;
  for_each_total(runs[0].totals, [&](const char* name, u64) { rows.push_back({name}); });
  for (const RunSummary& run : runs) {
    auto row = rows.begin();
    for_each_total(run.totals, [&](const char* name, u64 sum) {
      (row++)->push_back(run.partial() || run.unknown_totals.contains(name) ? "-" : grouped(sum));
    });
  }
  for (const std::vector<std::string>& row : rows) table.row(row);
}

void pause_rows(const Runs& runs, TextTable& table) {
  std::set<std::string> tiers;
  for (const RunSummary& run : runs) {
    for (const TierRow& t : run.tiers) {
      if (t.paused_ps != 0) tiers.insert(t.tier);
    }
  }
  for (const std::string& tier : tiers) {
    std::vector<std::string> cells = {fmt::format("paused, {} links", tier)};
    for (const RunSummary& run : runs) {
      const auto found =
          std::find_if(run.tiers.begin(), run.tiers.end(), [&](const TierRow& t) { return t.tier == tier; });
      const bool known = run.series_rows > 0 && found != run.tiers.end();
      cells.push_back(!known ? "-" : human_time(static_cast<TimePs>(found->paused_ps)));
    }
    table.row(cells);
  }
}

std::string outcome(const Runs& runs) {
  TextTable table;
  table.row(header(runs, ""));
  const auto row = [&](const char* name, const auto& get) {
    std::vector<std::string> cells = {name};
    for (size_t r = 0; r < runs.size(); ++r) cells.push_back(get(runs[r], r));
    table.row(cells);
  };
  row("end", [&](const RunSummary& run, size_t r) {
    return with_ratio(human_time(run.end_ps), static_cast<double>(run.end_ps), static_cast<double>(runs[0].end_ps),
                      r == 0 || run.end_ps < 0);
  });
  message_rows(runs, table);
  request_rows(runs, table);
  plan_rows(runs, table);
  count_rows(runs, table);
  pause_rows(runs, table);
  link_rows(runs, table);
  row("digest", [](const RunSummary& run, size_t) { return run.digest.empty() ? std::string("-") : run.digest; });
  row("digest is A's", [&](const RunSummary& run, size_t) {
    return std::string(run.digest.empty() || runs[0].digest.empty() ? "-"
                       : run.digest == runs[0].digest               ? "yes"
                                                                    : "no");
  });
  row("wall time", [](const RunSummary& run, size_t) {
    return run.perf.wall_s > 0 ? fmt::format("{:.2f} s", run.perf.wall_s) : std::string("-");
  });
  return "\noutcome (ratios to A; percentiles by nearest rank, of all messages that were posted; >=: a lower bound, as "
         "some had not finished)\n" +
         table.text();
}

}  // namespace

std::string compare_runs(std::span<const std::string> paths) {
  if (paths.size() < 2) {
    throw InputError(
        "compare needs at least two result files (one alone differs from nothing); 'heddle info' shows one");
  }
  Runs runs;
  for (const std::string& path : paths) runs.push_back(read_summary(path));
  return printable("runs\n" + legend(runs) + about_earlier_versions(runs) + configuration(runs) + collectives(runs) +
                   iterations(runs) + compare_checkpoints(runs, header(runs, "")) + outcome(runs));
}

}  // namespace heddle
