#include "host/cli/sweep/labels.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <vector>

#include "host/base/error.hpp"
#include "host/config/config.hpp"
#include "host/config/input_files.hpp"
#include "io/error.hpp"
#include "io/results/config_diff.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// "generator.0.size_cdf" for "generator[0].size_cdf".
std::string dotted(std::string key) {
  std::erase(key, ']');
  for (char& c : key) c = c == '[' ? '.' : c;
  return key;
}

/// Whether `copy` is inputs/NAME_0123456789abcdef.txt of the axis' NAME.txt.
bool is_copy_of(const std::string& copy, std::string named) {
  constexpr std::size_t kHash = 17;  // with the underscore before it
  std::erase(named, '"');
  const fs::path file = named, name = copy;
  const std::string stem = name.stem().string();
  return name.parent_path() == "inputs" && name.extension() == file.extension() && stem.size() > kHash &&
         stem.substr(0, stem.size() - kHash) == file.stem().string();
}

/// The axes as --set arguments, without those that name a file of which the sweep has a copy.
std::vector<std::string> sets_of(const SweepEntry& run, const Config& config) {
  std::vector<std::string> sets;
  for (std::size_t i = 0; i < run.keys.size(); ++i) {
    bool copied = false;
    for (const NamedInput& input : input_files_of(config))
      copied = copied || (dotted(input.key) == run.keys[i] && is_copy_of(input.file, run.values[i]));
    if (!copied) sets.push_back(run.keys[i] + "=" + run.values[i]);
  }
  return sets;
}

toml::node* child_of(toml::node& node, std::string_view part) {
  if (toml::table* table = node.as_table()) return table->get(part);
  std::size_t index = 0;
  std::from_chars(part.data(), part.data() + part.size(), index);
  return node.is_array() ? node.as_array()->get(index) : nullptr;
}

/// Erases a list of sections that an axis replaces as a whole, which --set can only do where there is no list yet.
bool erase_sections(toml::table& root, const std::string& key) {
  toml::node* node = &root;
  std::string_view rest = key;
  for (std::size_t dot = rest.find('.'); node != nullptr && dot != std::string_view::npos; dot = rest.find('.')) {
    node = child_of(*node, rest.substr(0, dot));
    rest.remove_prefix(dot + 1);
  }
  if (node == nullptr || !node->is_table()) return false;
  const toml::node* last = node->as_table()->get(rest);
  const toml::array* list = last == nullptr ? nullptr : last->as_array();
  if (list == nullptr || list->empty() || !list->is_array_of_tables()) return false;
  node->as_table()->erase(rest);
  return true;
}

std::string without_replaced(const SweepEntry& run, const std::string& config_toml) {
  toml::table root = toml::parse(config_toml);
  bool erased = false;
  for (const std::string& key : run.keys) erased = erase_sections(root, key) || erased;
  if (!erased) return config_toml;
  std::ostringstream text;
  text << root;
  return text.str();
}

Config laid_over(const SweepEntry& run, const std::string& config_toml, const std::string& where,
                 const std::vector<std::string>& sets) {
  try {
    return load_config_text(config_toml, where, sets);
  } catch (const ConfigError&) {
    const std::string other = without_replaced(run, config_toml);
    if (other == config_toml) throw;
    return load_config_text(other, where, sets);
  }
}

}  // namespace

SweepLabels check_labels(const SweepEntry& run, const std::string& config_toml, const std::string& where) {
  std::string now;
  std::vector<std::string> sets;
  try {
    const Config config = load_config_text(config_toml, where);
    now = resolved_text(config);
    sets = sets_of(run, config);
  } catch (const ConfigError& error) {
    return {"", fmt::format("\n  {}: whether it is what axes.csv says cannot be seen: {}", run.name, error.what())};
  }
  try {
    const std::string said = resolved_text(laid_over(run, config_toml, where, sets));
    if (said == now) return {};
    const std::array configs = {flatten_toml(now, where), flatten_toml(said, where)};
    SweepLabels labels;
    for (const ConfigDifference& d : differences(configs))
      labels.wrong +=
          fmt::format("\n  {}: {} is {} in {}, axes.csv says {}", run.name, d.key, d.values[0], where, d.values[1]);
    return labels;
  } catch (const ConfigError& error) {
    return {fmt::format("\n  {}: axes.csv says what {} does not take: {}", run.name, where, error.what()), ""};
  }
}

}  // namespace heddle
