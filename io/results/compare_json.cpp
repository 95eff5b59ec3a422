// `heddle compare --json` and `--csv`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "io/error.hpp"
#include "io/results/config_diff.hpp"
#include "io/results/describe_json.hpp"
#include "io/results/parameters.hpp"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;
using Runs = std::vector<RunSummary>;

Runs read_runs(std::span<const std::string> paths) {
  if (paths.size() < 2) {
    throw InputError(
        "compare needs at least two result files (one alone differs from nothing); 'heddle info --json' shows one");
  }
  Runs runs;
  for (const std::string& path : paths) runs.push_back(read_summary(path));
  return runs;
}

/// A parameter in one run: its numbers where all elements are numbers.
struct Value {
  std::string text, unit;
  std::vector<double> numbers;
};

std::map<std::string, Value> values_of(const std::string& path) {
  std::map<std::string, Value> values;
  for (const ConfigValue& row : read_parameters(path)) {
    Value& value = values[row.key];
    value.text += (row.element == 0 ? "" : ", ") + row.text;
    value.unit = row.unit;
    value.numbers.push_back(row.number);
  }
  return values;
}

/// A key that differs, in every run; null where a run does not have it.
struct Difference {
  std::string key, unit;  // of the first run that has it
  std::vector<Json> texts, numbers;
};

/// Whole numbers without a point, as far as a double is exact.
Json as_json(double number) {
  const bool whole = std::abs(number) < 9e15 && number == std::floor(number);
  return whole ? Json(static_cast<i64>(number)) : Json(number);
}

Json number_of(const Value& value) {
  const auto is_none = [](double number) { return std::isnan(number); };
  if (value.numbers.empty() || std::any_of(value.numbers.begin(), value.numbers.end(), is_none)) return {};
  if (value.numbers.size() == 1) return as_json(value.numbers[0]);
  Json all = Json::array();
  for (const double number : value.numbers) all.push_back(as_json(number));
  return all;
}

/// Compares /parameter, or the TOML texts where one of the files has none.
std::vector<Difference> differences_of(const Runs& runs) {
  std::vector<std::map<std::string, std::string>> texts;
  std::vector<std::map<std::string, Value>> values;
  for (const RunSummary& run : runs) {
    values.push_back(values_of(run.path));
    texts.emplace_back();
    for (const auto& [key, value] : values.back()) texts.back()[key] = value.text;
  }
  if (std::any_of(values.begin(), values.end(), [](const auto& v) { return v.empty(); })) {
    for (size_t r = 0; r < runs.size(); ++r) {
      if (has_too_many_values(runs[r].config_toml))
        throw InputError(
            fmt::format("{}/config: more than {} values, which are not compared", runs[r].path, kMaxShownValues));
      texts[r] = flatten_toml(runs[r].config_toml, runs[r].path + "/config");
    }
  }
  std::vector<Difference> all;
  for (const ConfigDifference& d : differences(texts)) {
    Difference difference{d.key, "", {}, {}};
    for (size_t r = 0; r < runs.size(); ++r) {
      const bool there = texts[r].contains(d.key);
      const auto value = values[r].find(d.key);
      difference.texts.push_back(there ? Json(d.values[r]) : Json());
      difference.numbers.push_back(value == values[r].end() ? Json() : number_of(value->second));
      if (difference.unit.empty() && value != values[r].end()) difference.unit = value->second.unit;
    }
    all.push_back(std::move(difference));
  }
  return all;
}

bool has_numbers(const Difference& d) {
  return std::any_of(d.numbers.begin(), d.numbers.end(), [](const Json& number) { return number.is_number(); });
}

/// Differences of the numbers under one key to that of the first run.
Json ratios(const std::vector<Json>& rows, const std::string& key) {
  Json all = Json::array();
  const auto number = [&](const Json& row) { return row.contains(key) && row[key].is_number(); };
  for (const Json& row : rows) {
    const bool known = number(row) && number(rows[0]) && rows[0][key].get<double>() > 0;
    all.push_back(known ? Json(row[key].get<double>() / rows[0][key].get<double>()) : Json());
  }
  return all;
}

/// Every time of the rows, collectives' too.
Json time_ratios(const std::vector<Json>& rows) {
  Json all = Json::object();
  for (const Json& row : rows) {
    for (const auto& [key, value] : row.items()) {
      if (key.ends_with("_ps") && !all.contains(key)) all[key] = ratios(rows, key);
    }
  }
  return all;
}

}  // namespace

std::string compare_runs_json(std::span<const std::string> paths) {
  const Runs runs = read_runs(paths);
  Json all = {{"runs", Json::array()}, {"configuration", Json::object()}};
  std::vector<Json> rows;
  Json same = Json::array();
  for (const RunSummary& run : runs) {
    all["runs"].push_back(json_of(run));
    rows.push_back(row_of(run));
    const bool known = !run.digest.empty() && !runs[0].digest.empty();
    same.push_back(known ? Json(run.digest == runs[0].digest) : Json());
  }
  for (const Difference& d : differences_of(runs))
    all["configuration"][d.key] = {{"text", d.texts}, {"number", d.numbers}, {"unit", d.unit}};
  all["digest_is_the_first"] = same;
  all["ratio_to_the_first"] = time_ratios(rows);
  return line_of(all);
}

std::string compare_runs_csv(std::span<const std::string> paths) {
  const Runs runs = read_runs(paths);
  const std::vector<Difference> different = differences_of(runs);
  std::vector<Json> rows;
  for (size_t r = 0; r < runs.size(); ++r) {
    Json row = {{"file", runs[r].path}};
    for (const Difference& d : different) {
      row[d.key] = d.texts[r];
      const bool spells_unit = !d.unit.empty() && d.unit != "1";
      if (spells_unit && has_numbers(d))
        row[fmt::format("{} ({})", d.key, d.unit)] = d.numbers[r].is_number() ? d.numbers[r] : Json();
    }
    row.update(row_of(runs[r]));
    rows.push_back(std::move(row));
  }
  return csv_of(rows);
}

}  // namespace heddle
