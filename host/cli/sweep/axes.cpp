#include "host/cli/sweep/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "host/base/error.hpp"
#include "host/cli/sweep/range.hpp"

namespace heddle {
namespace {

[[noreturn]] void bad_axis(const std::string& argument, const std::string& why) {
  throw ConfigError(fmt::format(
      "--axis {}: {}; write key=value,value,... or key=first..last:step, or key+key=value:value,...", argument, why));
}

/// Splits at each `mark` outside of brackets and quotes.
std::vector<std::string> split(std::string_view text, char mark) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
    if (c == mark && depth == 0 && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) part = std::string(trimmed(part));
  return parts;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ":") + part;
  return text;
}

/// The form in which --set compares keys: elements may be numbered "00".
std::string normal(const std::string& key) {
  std::string text;
  for (std::string part : split(key, '.')) {
    const bool number =
        !part.empty() && std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (number) part.erase(0, std::min(part.find_first_not_of('0'), part.size() - 1));
    text += (text.empty() ? "" : ".") + part;
  }
  return text;
}

/// Whether setting `key` replaces the value of `other`: it is the same key, or a list or section with `other` in it.
bool replaces(const std::string& key, const std::string& other) {
  return normal(other) == normal(key) || normal(other).starts_with(normal(key) + ".");
}

std::string key_of_set(const std::string& set) { return std::string(trimmed(set.substr(0, set.find('=')))); }

/// Refuses axes of file names, as every combination gets names of its own.
void refuse_output_names(const std::string& argument, const std::string& key, bool exports_too) {
  constexpr std::array<std::string_view, 4> kNames = {"output.file", "output.relative_to", "output.fct_file",
                                                      "output.pfc_file"};
  const auto end = exports_too ? kNames.end() : kNames.begin() + 2;
  if (std::find(kNames.begin(), end, normal(key)) == end) return;
  throw ConfigError(fmt::format(
      "{}: a sweep names the files of every run itself (3.h5 is written beside 3.toml), so this would have no effect; "
      "leave it out",
      argument));
}

void refuse_repeated(const Axis& axis, const std::string& argument, const std::vector<std::string>& before) {
  std::vector<std::string> keys = before;
  for (const std::string& key : axis.keys) {
    for (const std::string& other : keys) {
      if (normal(key) == normal(other)) bad_axis(argument, fmt::format("there are two axes of {}", key));
      if (replaces(key, other)) {
        bad_axis(argument, fmt::format("{} would replace what the axis of {}, which comes first, has set", key, other));
      }
    }
    keys.push_back(key);
  }
}

void refuse_set(const Axis& axis, const std::string& argument, const std::vector<std::string>& sets) {
  for (const std::string& set : sets) {
    for (const std::string& key : axis.keys) {
      if (!replaces(key, key_of_set(set))) continue;
      throw ConfigError(
          fmt::format("--set {}: --axis {} sets {} in every run, so this would have no effect; leave one of them out",
                      set, argument, key));
    }
  }
}

void add_item(Axis& axis, const std::string& argument, const std::string& item) {
  if (item.empty()) bad_axis(argument, "a value is empty");
  const std::size_t keys = axis.keys.size();
  try {
    if (const auto range = range_of(item, kMaxSweepRuns)) {
      for (const std::string& value : *range) axis.values.emplace_back(keys, value);
      return;
    }
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("--axis {}: {}", argument, error.what()));
  }
  if (keys == 1) return axis.values.push_back({item});
  std::vector<std::string> parts = split(item, ':');
  for (const std::string& part : parts) {
    if (part.empty()) bad_axis(argument, "a value is empty");
  }
  if (parts.size() == 1) parts.resize(keys, parts.front());
  if (parts.size() != keys) {
    bad_axis(argument,
             fmt::format("{} has {} values for {} keys: give one per key, or one for all; a value that itself "
                         "has a colon is to stand in double quotes",
                         item, parts.size(), keys));
  }
  axis.values.push_back(std::move(parts));
}

}  // namespace

Axis axis_of(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos) bad_axis(argument, "there is no \"=\", and no value after it");
  if (trimmed(argument.substr(0, equals)).empty()) bad_axis(argument, "there is no key before \"=\"");
  Axis axis{split(argument.substr(0, equals), '+'), {}};
  for (const std::string& key : axis.keys) {
    if (key.empty()) bad_axis(argument, "a key is empty");
  }
  for (const std::string& item : split(std::string_view(argument).substr(equals + 1), ','))
    add_item(axis, argument, item);
  for (auto value = axis.values.begin(); value != axis.values.end(); ++value) {
    if (std::find(axis.values.begin(), value, *value) == value) continue;
    bad_axis(argument, fmt::format("{} is there twice, so two runs would be the same", joined(*value)));
  }
  return axis;
}

std::vector<Axis> axes_of(const std::vector<std::string>& arguments, const std::vector<std::string>& sets) {
  for (const std::string& set : sets) refuse_output_names("--set " + set, key_of_set(set), false);
  std::vector<Axis> axes;
  for (const std::string& argument : arguments) {
    Axis axis = axis_of(argument);
    for (const std::string& key : axis.keys) refuse_output_names("--axis " + argument, key, true);
    refuse_repeated(axis, argument, keys_of(axes));
    refuse_set(axis, argument, sets);
    axes.push_back(std::move(axis));
    if (runs_of(axes) > kMaxSweepRuns)
      bad_axis(argument, fmt::format("with it there are more than {} runs", kMaxSweepRuns));
  }
  return axes;
}

std::size_t runs_of(const std::vector<Axis>& axes) {
  std::size_t runs = 1;
  for (const Axis& axis : axes) runs *= axis.values.size();
  return runs;
}

std::vector<std::string> keys_of(const std::vector<Axis>& axes) {
  std::vector<std::string> keys;
  for (const Axis& axis : axes) keys.insert(keys.end(), axis.keys.begin(), axis.keys.end());
  return keys;
}

std::vector<std::string> combination(const std::vector<Axis>& axes, std::size_t index) {
  std::vector<std::string> values;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    const auto& chosen = axis->values[index % axis->values.size()];
    values.insert(values.begin(), chosen.begin(), chosen.end());
    index /= axis->values.size();
  }
  return values;
}

}  // namespace heddle
