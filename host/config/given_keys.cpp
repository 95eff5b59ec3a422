#include "host/config/given_keys.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>

#include "host/config/bind.hpp"
#include "host/config/config.hpp"
#include "host/config/source.hpp"
#include "io/formats/formats.hpp"

namespace heddle {
namespace {

/// The table of a section; nullptr: the section is not given, or belongs to a list other than those of jobs and
/// fabrics.
const toml::table* table_of(const toml::table& root, std::string_view path) {
  for (const std::string_view list : {"job", "fabric"}) {
    if (!path.starts_with(list) || path.size() == list.size() || path[list.size()] != '.') continue;
    path.remove_prefix(list.size() + 1);
    const toml::array* elements = root.get_as<toml::array>(list);
    size_t number = 0;
    const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), number);
    const toml::node* node = elements == nullptr || error != std::errc() ? nullptr : elements->get(number);
    if (node == nullptr || !node->is_table()) return nullptr;
    path.remove_prefix(static_cast<size_t>(end - path.data()));
    if (!path.empty()) path.remove_prefix(1);
    return path.empty() ? node->as_table() : node->as_table()->at_path(path).as_table();
  }
  return root.at_path(path).as_table();
}

/// What `config` starts from: sections may start from presets, and imported fabrics have defaults of their own.
Config defaults_of(const Config& config) {
  Config defaults;
  defaults.jobs.resize(config.jobs.size());
  defaults.fabrics.resize(config.fabrics.size());
  defaults.host_options = config.host_options;
  defaults.collective = host_preset(config.host_options.host).collective;
  if (find_format("topology.kind", config.fabric.topology.kind) != nullptr)
    defaults.fabric.ctsw_buffer = defaults.fabric.atsw_buffer = imported_buffer_defaults();
  return defaults;
}

}  // namespace

std::vector<GivenKey> given_keys(const Config& config, std::span<const std::string> sets) {
  toml::table root = read_toml_file(config.path);
  apply_sets(root, sets);
  Config defaults = defaults_of(config);
  std::map<std::string, std::string> default_of;
  for (const Section& section : sections_of(defaults)) {
    for (const BoundParameter& p : section.parameters)
      default_of.emplace(fmt::format("{}.{}", section.path, p.key), toml_value(p));
  }
  std::vector<GivenKey> keys;
  Config copy = config;  // sections hold pointers to fields that may be written
  copy.messages.clear();
  copy.generators.clear();
  for (const Section& section : sections_of(copy)) {
    const toml::table* table = table_of(root, section.path);
    if (table == nullptr) continue;
    for (const BoundParameter& p : section.parameters) {
      const toml::node* value = table->get(p.key);
      if (value == nullptr) continue;
      const auto found = default_of.find(fmt::format("{}.{}", section.path, p.key));
      if (found != default_of.end() && found->second != toml_value(p))
        keys.push_back({found->first, location_of(*value)});
    }
  }
  return keys;
}

}  // namespace heddle
