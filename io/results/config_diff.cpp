#include "io/results/config_diff.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string_view>

#include "io/error.hpp"
#include "io/toml_nesting.hpp"

namespace heddle {
namespace {

using Flat = std::map<std::string, std::string>;

bool is_scalar_list(const toml::array& array) {
  for (const toml::node& node : array) {
    if (node.is_table() || node.is_array()) return false;
  }
  return true;
}

/// Returns the value as the configuration writes it: toml++ would print 0.1 as 0.10000000000000001.
std::string value_text(const toml::node& node) {
  if (const toml::array* array = node.as_array()) {
    std::string text;
    for (const toml::node& element : *array) text += (text.empty() ? "" : ", ") + value_text(element);
    return "[" + text + "]";
  }
  if (const auto number = node.value_exact<double>()) {
    std::string text = fmt::format("{}", *number);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  return text.str();
}

/// Every value carries its whole key, so long keys make a short text take many times its bytes; the longest key of a
/// configuration has some 50.
constexpr std::size_t kMaxKeyBytes = 512;

struct KeyTooLong {};

void flatten(const toml::node& node, const std::string& key, Flat& flat) {
  if (key.size() > kMaxKeyBytes) throw KeyTooLong();
  if (const toml::table* table = node.as_table()) {
    for (const auto& [name, child] : *table) {
      flatten(child, key.empty() ? std::string(name.str()) : fmt::format("{}.{}", key, name.str()), flat);
    }
    return;
  }
  const toml::array* array = node.as_array();
  if (array != nullptr && !is_scalar_list(*array)) {
    for (size_t i = 0; i < array->size(); ++i) flatten((*array)[i], fmt::format("{}[{}]", key, i), flat);
    return;
  }
  flat[key] = value_text(node);
}

/// Cuts long values, such as a list of a thousand sizes.
std::string shortened(const std::string& value) {
  constexpr std::size_t kMaxBytes = 60;
  if (value == "-") return "not there";
  return value.size() <= kMaxBytes ? value : value.substr(0, kMaxBytes - 3) + "...";
}

}  // namespace

Flat flatten_toml(const std::string& toml, const std::string& where) {
  if (const auto line = line_nested_too_deep(toml)) {
    throw InputError(
        fmt::format("{}:{}: a key of more than {} parts, or as many lists and tables in each other, which no "
                    "configuration has (its differences cannot be shown)",
                    where, *line, kMaxTomlNesting));
  }
  try {
    Flat flat;
    flatten(toml::parse(toml), "", flat);
    return flat;
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("{}:{}:{}: the configuration is not TOML: {} (its differences cannot be shown)", where,
                                 error.source().begin.line, error.source().begin.column, error.description()));
  } catch (const KeyTooLong&) {
    throw InputError(
        fmt::format("{}: a key of more than {} B, which no configuration has (its differences cannot be shown)", where,
                    kMaxKeyBytes));
  }
}

bool has_too_many_values(const std::string& toml) {
  const auto begins_value = [](char c) { return c == '=' || c == ',' || c == '['; };
  return std::ranges::count_if(toml, begins_value) > kMaxShownValues;
}

bool decides_result(const ConfigDifference& difference) {
  constexpr std::array<std::string_view, 3> kSections = {"partition.", "checkpoint.", "output."};
  const auto begins = [&](std::string_view section) { return difference.key.starts_with(section); };
  return std::ranges::none_of(kSections, begins);
}

std::vector<ConfigDifference> differences(std::span<const Flat> configs) {
  std::set<std::string> keys;
  for (const Flat& config : configs) {
    for (const auto& [key, value] : config) keys.insert(key);
  }
  std::vector<ConfigDifference> result;
  for (const std::string& key : keys) {
    ConfigDifference difference{key, {}};
    for (const Flat& config : configs) {
      const auto found = config.find(key);
      difference.values.push_back(found == config.end() ? "-" : found->second);
    }
    const std::set<std::string> distinct(difference.values.begin(), difference.values.end());
    if (distinct.size() > 1) result.push_back(std::move(difference));
  }
  return result;
}

std::string changed_keys(const std::string& before, const std::string& now,
                         const std::function<bool(const ConfigDifference&)>& counts) {
  constexpr std::size_t kMaxNamed = 4;
  const std::vector<Flat> configs = {flatten_toml(before, "the configuration of then"),
                                     flatten_toml(now, "the configuration of now")};
  std::vector<ConfigDifference> changed = differences(configs);
  std::erase_if(changed, [&](const ConfigDifference& d) { return !counts(d); });
  std::string text;
  for (std::size_t i = 0; i < std::min(changed.size(), kMaxNamed); ++i) {
    const std::vector<std::string>& values = changed[i].values;
    text += fmt::format("{}{} was {} and is {} now", i == 0 ? "" : ", ", changed[i].key, shortened(values[0]),
                        shortened(values[1]));
  }
  const std::size_t more = changed.size() - std::min(changed.size(), kMaxNamed);
  if (more > 0) text += fmt::format(", and {} more key{}", more, more == 1 ? "" : "s");
  return text;
}

}  // namespace heddle
