#include "host/cli/sweep_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "host/cli/sweep_folder.hpp"
#include "io/error.hpp"
#include "io/results/config_diff.hpp"
#include "io/results/reader.hpp"
#include "io/results/text_table.hpp"
#include "kernels/observe/totals.hpp"

namespace heddle {
namespace {

/// One collective of a configuration: job, kind, algorithm, bytes, which of several equal ones.
using CollectiveKey = std::tuple<u32, std::string, std::string, u64, u32>;

struct Row {
  const SweepEntry* run = nullptr;
  std::string status;
  bool as_configured = true;         // false: the result is of another configuration than the row says
  std::vector<std::string> outcome;  // cells of kOutcome; empty: no result
  std::vector<u64> totals;
  std::map<CollectiveKey, double> busbw_GBps;
  std::optional<RunSummary> result;
};

constexpr std::array kOutcome = {"end", "messages", "completion p50", "p99", "max"};

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

std::vector<std::string> outcome_of(const RunSummary& run) {
  const MessageSummary& m = run.messages;
  std::vector<std::string> cells = {human_time(run.end_ps)};
  cells.push_back(m.messages == 0 ? "-" : fmt::format("{} of {}", grouped(m.finished), grouped(m.messages)));
  for (const double percent : {50.0, 99.0, 100.0})
    cells.push_back(m.completion_ps.empty() ? "-" : human_time(percentile(m.completion_ps, percent)));
  return cells;
}

void take_collectives(const RunSummary& run, Row& row) {
  std::map<CollectiveKey, u32> seen;
  for (const CollectiveRow& c : run.collectives) {
    CollectiveKey key{c.job, c.kind, c.algorithm, c.bytes, 0};
    std::get<4>(key) = seen[key]++;
    if (c.finish_ps >= 0) row.busbw_GBps[key] = c.busbw_GBps;
  }
}

constexpr const char* kOtherConfiguration = "NOT AS CONFIGURED";

/// Sections that say how a run is made and written, not what is simulated: config_hash() leaves them out, too.
bool decides_nothing(const std::string& key) {
  constexpr std::array<std::string_view, 3> kSections = {"partition.", "checkpoint.", "output."};
  const auto begins = [&](std::string_view section) { return key.starts_with(section); };
  return std::any_of(kSections.begin(), kSections.end(), begins);
}

/// Keys whose value is not that of the configuration as it is now: the sweep was written anew, the file is of another
/// run, or the run was started with --set.
struct OtherValues {
  std::string deciding, beside;  // what is simulated; how it is made and written
};

OtherValues other_values(const SweepEntry& run, const RunSummary& summary) {
  std::ifstream file(run.config_path);
  const std::string now((std::istreambuf_iterator<char>(file)), {});
  const std::array configs = {flatten_toml(summary.config_toml, summary.path + "/config"),
                              flatten_toml(now, run.config_path)};
  OtherValues other;
  for (const ConfigDifference& d : differences(configs)) {
    (decides_nothing(d.key) ? other.beside : other.deciding) += fmt::format(
        "\n  {}: {} was run with {}, {} says {}", run.name, d.key, d.values[0], run.config_path, d.values[1]);
  }
  return other;
}

/// The rows, and beside them what is odd about single runs.
struct Collected {
  std::vector<Row> rows;
  OtherValues others;
  std::string unreadable;
};

void take_result(const SweepEntry& run, Row& row, Collected& all) {
  try {
    const RunSummary summary = read_summary(run.result_path);
    const OtherValues other = other_values(run, summary);
    all.others.deciding += other.deciding;
    all.others.beside += other.beside;
    row.as_configured = other.deciding.empty();
    row.status = row.as_configured ? summary.status : fmt::format("{}, {}", summary.status, kOtherConfiguration);
    for_each_total(summary.totals, [&](const char*, u64 sum) { row.totals.push_back(sum); });
    take_collectives(summary, row);
    row.outcome = outcome_of(summary);
    row.result = summary;
  } catch (const InputError& error) {
    row.status = "UNREADABLE";
    all.unreadable += fmt::format("\n  {}: {}", run.name, error.what());
  }
}

Collected collect(const SweepFolder& sweep) {
  Collected all;
  for (const SweepEntry& run : sweep.runs) {
    Row row;
    row.run = &run;
    row.status = text_of(run.state);
    if (run.state == SweepRunState::ended) take_result(run, row, all);
    all.rows.push_back(std::move(row));
  }
  return all;
}

std::vector<std::string> head_of(const SweepFolder& sweep) {
  std::vector<std::string> cells = {"run"};
  cells.insert(cells.end(), sweep.keys.begin(), sweep.keys.end());
  return cells;
}

std::vector<std::string> begin_of(const Row& row) {
  std::vector<std::string> cells = {row.run->name};
  cells.insert(cells.end(), row.run->values.begin(), row.run->values.end());
  return cells;
}

/// Names of the sums that some run has, with their place in Row::totals.
std::vector<std::pair<std::string, std::size_t>> totals_to_show(const std::vector<Row>& rows) {
  std::vector<std::pair<std::string, std::size_t>> shown;
  std::size_t at = 0;
  const Totals none;
  for_each_total(none, [&](const char* name, u64) {
    const auto has = [&](const Row& row) { return !row.totals.empty() && row.totals[at] != 0; };
    if (std::any_of(rows.begin(), rows.end(), has)) shown.emplace_back(name, at);
    ++at;
  });
  return shown;
}

/// Places in Row::outcome of the columns that some run has something in: no completion times without messages.
std::vector<std::size_t> outcome_to_show(const std::vector<Row>& rows) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < kOutcome.size(); ++i) {
    const auto has = [&](const Row& row) { return !row.outcome.empty() && row.outcome[i] != "-"; };
    if (std::any_of(rows.begin(), rows.end(), has)) shown.push_back(i);
  }
  return shown;
}

std::string outcome_table(const SweepFolder& sweep, const std::vector<Row>& rows) {
  const auto outcome = outcome_to_show(rows);
  const auto totals = totals_to_show(rows);
  TextTable table;
  std::vector<std::string> head = head_of(sweep);
  head.push_back("status");
  for (const std::size_t i : outcome) head.push_back(kOutcome[i]);
  for (const auto& [name, at] : totals) head.push_back(name);
  table.row(head);
  for (const Row& row : rows) {
    std::vector<std::string> cells = begin_of(row);
    cells.push_back(row.status);
    for (const std::size_t i : outcome) cells.push_back(row.outcome.empty() ? "-" : row.outcome[i]);
    for (const auto& [name, at] : totals) cells.push_back(row.totals.empty() ? "-" : grouped(row.totals[at]));
    table.row(cells);
  }
  return table.text();
}

std::string collective_table(const SweepFolder& sweep, const std::vector<Row>& rows) {
  std::map<CollectiveKey, bool> keys;
  for (const Row& row : rows) {
    for (const auto& [key, busbw] : row.busbw_GBps) keys[key] = true;
  }
  if (keys.empty()) return "";
  TextTable table;
  std::vector<std::string> head = head_of(sweep);
  for (const auto& [key, used] : keys) {
    const auto& [job, kind, algorithm, bytes, occurrence] = key;
    std::string name = fmt::format("{} {} {}", kind, algorithm, human_bytes(bytes));
    if (job != 0) name = fmt::format("job {}: {}", job, name);
    if (occurrence != 0) name += fmt::format(" #{}", occurrence + 1);
    head.push_back(name);
  }
  table.row(head);
  for (const Row& row : rows) {
    std::vector<std::string> cells = begin_of(row);
    for (const auto& [key, used] : keys) {
      const auto found = row.busbw_GBps.find(key);
      cells.push_back(found == row.busbw_GBps.end() ? "-" : fmt::format("{:.3f}", found->second));
    }
    table.row(cells);
  }
  return "\nbusbw of collectives (GB/s)\n" + table.text();
}

/// Which runs have no result of their configuration, by how far they are, and what to do.
std::string missing_of(const Collected& all) {
  std::string text;
  const auto add = [&](const std::string& status, const std::string& advice) {
    std::string names;
    for (const Row& row : all.rows) {
      if (row.as_configured ? row.status == status : status == kOtherConfiguration)
        names += (names.empty() ? "" : " ") + row.run->name;
    }
    if (!names.empty()) text += fmt::format("{} ({}): {}\n", status, advice, names);
  };
  add(text_of(SweepRunState::missing), "never started, or refused: see its log");
  add(text_of(SweepRunState::partial), "running, or killed: heddle run N.toml --force starts it anew");
  add(text_of(SweepRunState::saved), "running, or waiting to go on: heddle run N.toml --resume auto");
  add("UNREADABLE", "see above");
  add(kOtherConfiguration,
      "see above: another result under this name; heddle run N.toml --force runs what N.toml says");
  return text;
}

std::vector<SweepRow> rows_for_programs(const SweepFolder& sweep, std::vector<Row>& rows) {
  std::vector<SweepRow> all;
  for (Row& row : rows) {
    const SweepEntry& run = *row.run;
    SweepRow one{run.name, row.status, run.config_path, run.result_path, {}, row.as_configured, std::move(row.result)};
    for (size_t i = 0; i < sweep.keys.size(); ++i) one.axes.emplace_back(sweep.keys[i], run.values[i]);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

SweepReport report_sweep(const std::string& folder) {
  const SweepFolder sweep = read_sweep_folder(folder);
  Collected all = collect(sweep);
  const auto has_result = [](const Row& row) { return row.as_configured && !row.outcome.empty(); };
  const auto results = std::count_if(all.rows.begin(), all.rows.end(), has_result);
  SweepReport report;
  report.missing = missing_of(all);
  report.text = fmt::format("sweep {}: {} of {} runs have a result\n\n", folder, results, all.rows.size());
  report.text += outcome_table(sweep, all.rows) + collective_table(sweep, all.rows);
  if (!all.others.deciding.empty()) report.text += "\nNOT AS CONFIGURED NOW" + all.others.deciding + "\n";
  if (!all.others.beside.empty())
    report.text += "\nsimulated as configured, but divided or written otherwise" + all.others.beside + "\n";
  if (!all.unreadable.empty()) report.text += "\nunreadable" + all.unreadable + "\n";
  if (!report.missing.empty()) report.text += "\n" + report.missing;
  report.rows = rows_for_programs(sweep, all.rows);
  return report;
}

}  // namespace heddle
