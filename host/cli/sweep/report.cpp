#include "host/cli/sweep/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "host/cli/sweep/folder.hpp"
#include "host/cli/sweep/rows.hpp"
#include "host/cli/sweep/seeds.hpp"
#include "host/cli/sweep/warnings.hpp"
#include "io/results/text_table.hpp"

namespace heddle {
namespace {

using Cells = std::vector<std::optional<SweepCell>>;

constexpr const char* kSeed = "simulation.seed";
constexpr const char* kBusbwTitle = "\nbusbw of collectives (GB/s)\n";

/// A count without decimals from a thousand on; a mean below that with four digits.
std::string count_text(double value) {
  return value < 1000 && value != std::floor(value) ? fmt::format("{:.4g}", value)
                                                    : grouped(static_cast<u64>(std::llround(value)));
}

std::string number_text(const SweepColumn& column, const SweepCell& cell) {
  if (!cell.finished) return fmt::format("{} of {} ranks finished", count_text(cell.value), count_text(cell.of));
  switch (column.unit) {
    case SweepUnit::time_ps:
      return human_time(std::llround(cell.value));
    case SweepUnit::count:
      return count_text(cell.value);
    case SweepUnit::share:
      return fmt::format("{} of {}", count_text(cell.value), count_text(cell.of));
    case SweepUnit::busbw_GBps:
    case SweepUnit::ratio:
      return fmt::format("{:.3f}", cell.value);
    case SweepUnit::bits_per_s:
      return human_rate(static_cast<u64>(std::llround(cell.value)));
  }
  return "";
}

/// The text of a cell, with a mark for what the end of the run has cut off.
std::string text_of(const SweepColumn& column, const SweepCell& cell) {
  const std::string text = at_least(number_text(column, cell), cell.at_least);
  return cell.is_part() ? fmt::format("{} (of {} of {})", text, cell.ended, cell.begun) : text;
}

/// The half width of an interval, rounded to three significant digits.
double three_digits(double value) {
  if (value <= 0) return 0;
  const double step = std::pow(10, std::floor(std::log10(value)) - 2);
  return std::round(value / step) * step;
}

/// What the ends of runs have cut off from the cells in a mean.
SweepCell cut_off(const SeedGroup& group, Cells SweepRow::*cells, std::size_t i) {
  SweepCell all;
  for (const SweepRow* row : group.rows) {
    if (!row->counts || !(row->*cells)[i]) continue;
    const SweepCell& cell = *(row->*cells)[i];
    all.at_least = all.at_least || cell.at_least;
    all.ended += cell.ended;
    all.begun += cell.begun;
  }
  return all;
}

/// Explains ">=" and "(of 2 of 5)", where some cell has them.
std::string about_cut_off(const SweepRows& all) {
  bool bound = false, part = false;
  for (const SweepRow& row : all.rows) {
    for (const std::optional<SweepCell>& cell : row.outcome) {
      bound = bound || (cell && cell->at_least);
      part = part || (cell && cell->is_part());
    }
  }
  std::string text;
  if (bound)
    text +=
        "\n>=: a lower bound. Messages that had not finished when their run ended count with the time until then, "
        "which is less\nthan they would have taken.\n";
  if (part) text += "\n(of 2 of 5): the mean of the 2 iterations that had ended when the run did, of 5.\n";
  return text;
}

/// The text of a mean with its interval; with the number of runs where some that count lack the cell.
std::string text_of(const SweepColumn& column, const SeedGroup& group, Cells SweepRow::*cells, std::size_t i) {
  if (column.unit == SweepUnit::share) {  // sums
    SweepCell sum;
    for (const SweepRow* row : group.rows) {
      if (!row->counts || !(row->*cells)[i]) continue;
      sum.value += (row->*cells)[i]->value;
      sum.of += (row->*cells)[i]->of;
    }
    return sum.of == 0 ? "-" : text_of(column, sum);
  }
  const MeanInterval mean = mean_of(group, cells, i);
  if (mean.n == 0) {
    const auto begun = std::ranges::count_if(
        group.rows, [&](const SweepRow* row) { return row->counts && (row->*cells)[i].has_value(); });
    return begun == 0 ? "-" : fmt::format("0 of {} finished", begun);
  }
  SweepCell cell = cut_off(group, cells, i);
  const bool whole = !cell.at_least && !cell.is_part();
  cell.value = mean.mean;
  std::string text = text_of(column, cell);
  if (mean.n > 1 && whole)  // an interval over truncated values would be meaningless
    text += " +- " + (mean.half == 0 ? "0" : text_of(column, {.value = three_digits(mean.half)}));
  if (mean.n != group.counted) text += fmt::format(" (n = {})", mean.n);
  return text;
}

void add_names(const std::vector<SweepColumn>& columns, std::vector<std::string>& head) {
  for (const SweepColumn& column : columns) head.push_back(column.name);
}

/// A table with one row per run.
std::string table_of_runs(const SweepFolder& sweep, const SweepRows& all, const std::vector<SweepColumn>& columns,
                          Cells SweepRow::*cells, bool with_status) {
  TextTable table;
  std::vector<std::string> head = {"run"};
  head.insert(head.end(), sweep.keys.begin(), sweep.keys.end());
  if (with_status) head.emplace_back("status");
  add_names(columns, head);
  table.row(head);
  for (const SweepRow& row : all.rows) {
    std::vector<std::string> line = {row.run.name};
    line.insert(line.end(), row.run.values.begin(), row.run.values.end());
    if (with_status) line.push_back(row.status);
    for (std::size_t i = 0; i < columns.size(); ++i)
      line.push_back((row.*cells)[i] ? text_of(columns[i], *(row.*cells)[i]) : "-");
    table.row(line);
  }
  return table.text();
}

/// A table with one row per group of runs that differ in the seed alone.
std::string table_of_groups(const std::vector<std::string>& keys, const std::vector<SeedGroup>& groups,
                            const std::vector<SweepColumn>& columns, Cells SweepRow::*cells, bool with_status) {
  TextTable table;
  std::vector<std::string> head = keys;
  head.emplace_back("n");
  if (with_status) head.emplace_back("status");
  add_names(columns, head);
  table.row(head);
  for (const SeedGroup& group : groups) {
    std::vector<std::string> line = group.values;
    line.push_back(fmt::format("{}", group.counted));
    if (with_status) line.push_back(group.status);
    for (std::size_t i = 0; i < columns.size(); ++i) line.push_back(text_of(columns[i], group, cells, i));
    table.row(line);
  }
  return table.text();
}

constexpr const char* kMethod =
    "\nOne line for runs that differ in simulation.seed alone: the mean over the n of them that are complete or "
    "reached\n"
    "their horizon, +- half of its 95 % confidence interval (Student's t, n - 1 degrees of freedom; completion: of "
    "each\n"
    "run's percentile). messages: sums. --every-run lists every run.\n";

std::string tables(const SweepFolder& sweep, const SweepRows& all, bool every_run) {
  const auto seed = std::find(sweep.keys.begin(), sweep.keys.end(), kSeed);
  if (!every_run && seed != sweep.keys.end()) {
    const auto place = static_cast<std::size_t>(seed - sweep.keys.begin());
    const std::vector<SeedGroup> groups = groups_over(all.rows, place);
    if (groups.size() < all.rows.size()) {
      std::vector<std::string> keys = sweep.keys;
      keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(place));
      std::string text = table_of_groups(keys, groups, all.outcome, &SweepRow::outcome, true);
      if (!all.busbw.empty()) text += kBusbwTitle + table_of_groups(keys, groups, all.busbw, &SweepRow::busbw, false);
      return text + kMethod;
    }
  }
  std::string text = table_of_runs(sweep, all, all.outcome, &SweepRow::outcome, true);
  if (!all.busbw.empty()) text += kBusbwTitle + table_of_runs(sweep, all, all.busbw, &SweepRow::busbw, false);
  return text;
}

/// The runs without a result of their configuration, by their progress, and what to do.
std::string missing_of(const SweepRows& all) {
  std::string text;
  const auto add = [&](const std::string& status, const std::string& advice) {
    std::string names;
    for (const SweepRow& row : all.rows) {
      if (row.as_configured ? row.status == status : status == kOtherConfiguration)
        names += (names.empty() ? "" : " ") + row.run.name;
    }
    if (!names.empty()) text += fmt::format("{} ({}): {}\n", status, advice, names);
  };
  add(text_of(SweepRunState::missing), "never started, or refused: see its log");
  add(text_of(SweepRunState::partial), "running, or killed: heddle run N.toml --force starts it anew");
  add(text_of(SweepRunState::saved), "running, or waiting to resume: heddle run N.toml --resume auto");
  add(kUnreadable, "see above");
  add(kOtherConfiguration,
      "see above: another result under this name, or axes.csv or N.toml was edited, which is to be undone; else heddle "
      "run N.toml --force runs what N.toml says");
  return text;
}

/// The reasons that "see above" refers to, where the text is not shown.
std::string reasons_of(const SweepRows& all) {
  const std::string reasons = all.unreadable + all.deciding;
  return reasons.empty() ? "" : reasons.substr(1) + "\n";
}

}  // namespace

SweepReport report_sweep(const std::string& folder, bool every_run) {
  const SweepFolder sweep = read_sweep_folder(folder);
  SweepRows all = read_rows(sweep);
  const auto results = std::count_if(all.rows.begin(), all.rows.end(), [](const auto& row) { return row.has_result; });
  SweepReport report;
  report.missing = missing_of(all);
  report.text = fmt::format("sweep {}: {} of {} runs have a result\n\n", folder, results, all.rows.size());
  report.text += tables(sweep, all, every_run) + about_cut_off(all);
  if (!all.deciding.empty()) report.text += "\nNOT AS CONFIGURED NOW" + all.deciding + "\n";
  if (!all.beside.empty())
    report.text += "\nsimulated as configured, but divided or written otherwise" + all.beside + "\n";
  if (!all.unreadable.empty()) report.text += "\nunreadable" + all.unreadable + "\n";
  report.warnings = warnings_of_runs(sweep);
  if (!report.warnings.empty()) report.text += "\n" + report.warnings;
  if (!report.missing.empty()) report.text += "\n" + report.missing;
  report.reasons = reasons_of(all);
  report.keys = sweep.keys;
  report.rows = std::move(all.rows);
  return report;
}

}  // namespace heddle
