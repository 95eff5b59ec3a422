// Conversion of a TOML table to a Config.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "host/base/error.hpp"
#include "host/config/bind.hpp"
#include "host/config/chosen_control.hpp"
#include "host/config/config.hpp"
#include "host/config/input_files.hpp"
#include "host/config/line_rate.hpp"
#include "host/config/source.hpp"
#include "host/scenario/topology/switch_hashes.hpp"
#include "io/formats/formats.hpp"
#include "io/units.hpp"

namespace heddle {
namespace {

/// The elements of an array of tables; any other value is reported and counts as empty.
template <class Options>
void resize_like(const toml::table& parent, std::string_view key, const std::string& path,
                 std::vector<Options>& elements, Problems& problems) {
  const toml::node* node = parent.get(key);
  if (node == nullptr) return;
  const toml::array* list = node->as_array();
  if (list == nullptr || !list->is_array_of_tables()) {
    if (list != nullptr && list->empty()) return;
    problems.add(location_of(*node),
                 fmt::format("{} is a list of sections: write [[{}]], once per element", path, path));
    return;
  }
  elements.resize(list->size());
}

void resize_arrays(const toml::table& root, Config& config, Problems& problems) {
  resize_like(root, "fabric", "fabric", config.fabrics, problems);
  resize_like(root, "message", "message", config.messages, problems);
  resize_like(root, "generator", "generator", config.generators, problems);
  resize_like(root, "slow_receiver", "slow_receiver", config.slow_receivers, problems);
  resize_like(root, "failure", "failure", config.failures, problems);
  resize_like(root, "job", "job", config.jobs, problems);
  for (size_t j = 0; j < config.jobs.size(); ++j) {
    const toml::table& job = *root["job"][j].as_table();
    resize_like(job, "collective", "job.collective", config.jobs[j].collectives, problems);
  }
}

/// The node at "a.b.0.c"; nullptr where the file does not have it.
const toml::node* find_node(const toml::table& root, std::string_view path) {
  const toml::node* node = &root;
  while (node != nullptr && !path.empty()) {
    const size_t end = std::min(path.find('.'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (const toml::array* list = node->as_array()) {
      size_t index = 0;
      std::from_chars(part.data(), part.data() + part.size(), index);
      node = list->get(index);
    } else {
      node = node->is_table() ? node->as_table()->get(part) : nullptr;
    }
  }
  return node;
}

void bind_at(const toml::table& root, const Section& section, Problems& problems) {
  const toml::node* node = find_node(root, section.path);
  if (node == nullptr) return;
  if (const toml::table* table = node->as_table()) {
    bind_section(*table, section, problems);
    return;
  }
  const std::string where = location_of(*node);
  const toml::array* list = node->as_array();
  if (where.starts_with("--set")) {
    problems.add(where,
                 fmt::format("\"{0}\" is a section: set one of its keys, e.g. --set {0}.KEY=value", section.path));
  } else if (section.path == "collective" && list != nullptr && list->is_array_of_tables()) {
    problems.add(where,
                 "\"collective\" is a section of its own, with what all collectives have in common; the collectives of "
                 "a job are lists of sections below it: write [[job.collective]] below [[job]]");
  } else {
    problems.add(where, fmt::format("\"{}\" is a section: write {} on a line of its own, its keys below", section.path,
                                    section.header));
  }
}

/// Checks against the epoch, which is in the configuration; the tick, a part of it, follows from the cables.
void check_checkpoint_interval(const toml::table& root, const Config& config, Problems& problems) {
  const TimePs every_ps = config.checkpoint.every_ps, epoch_ps = config.simulation.epoch_ps;
  const toml::node* node = find_node(root, "checkpoint.every");
  if (node == nullptr || every_ps == 0 || every_ps >= epoch_ps) return;
  problems.add(location_of(*node),
               fmt::format("checkpoint.every: \"{}\" of simulated time is less than simulation.epoch ({}), so the run "
                           "would do little but save; give at least that, usually some \"ms\", or set "
                           "checkpoint.every_wall instead",
                           format_quantity(every_ps, Quantity::time_ps), format_quantity(epoch_ps, Quantity::time_ps)));
}

/// Checks that the reorder window and distance agree; reported where one of them is given.
void check_reordering(const toml::table& root, const Config& config, Problems& problems) {
  const toml::node* node = find_node(root, "roce.reorder_window_packets");
  if (node == nullptr) node = find_node(root, "roce.reorder_distance_packets");
  const std::string_view problem = problem_of_reordering(config.roce);
  if (node == nullptr || problem.empty()) return;
  problems.add(location_of(*node), fmt::format("{}; they are {} and {}", problem, config.roce.reorder_window_packets,
                                               config.roce.reorder_distance_packets));
}

/// Checks that the settings of TCP agree; reported at the key that the problem names, where that is given.
void check_tcp(const toml::table& root, const Config& config, Problems& problems) {
  const toml::node* node = find_node(root, "tcp");
  const std::string_view problem = problem_of_tcp(config.tcp);
  if (node == nullptr || problem.empty()) return;
  const toml::node* own = find_node(root, problem.substr(0, problem.find(' ')));
  const TcpSettings& tcp = config.tcp;
  problems.add(
      location_of(own == nullptr ? *node : *own),
      fmt::format("{}; window_segments is {}, initial_window_segments {}, rto_min {} and rto_max {}", problem,
                  tcp.window_segments, tcp.initial_window_segments, format_quantity(tcp.rto_min_ps, Quantity::time_ps),
                  format_quantity(tcp.rto_max_ps, Quantity::time_ps)));
}

/// Refuses TCP where only RoCE works: for control packets, and for collectives.
void check_transports(const toml::table& root, const Config& config, Problems& problems) {
  const auto refuse = [&](u32 traffic_class, const char* why) {
    if (transport_of(config.classes[traffic_class].transport_name) == Transport::roce) return;
    const std::string key = fmt::format("class.{}.transport", kClassNames[traffic_class]);
    const toml::node* node = find_node(root, key);
    problems.add(node == nullptr ? config.path : location_of(*node), fmt::format("{} = \"tcp\": {}", key, why));
  };
  refuse(0,
         "class control carries the ACKs, NAKs, CNPs and CTSs of RoCE, and no data; remove the key, and set the "
         "transport of class best_effort or lossless instead");
  if (config.jobs.empty()) return;
  refuse(
      kCollectiveClass,
      "the collectives, training and traces of a [[job]] travel in this class, over RoCE queue pairs; leave it roce, "
      "and send other traffic over TCP in class best_effort");
}

/// Checks that the settings of the hash agree; reported at the key that the problem names.
void check_hash(const toml::table& root, const Config& config, Problems& problems) {
  const std::string problem = problem_of_hashes(config.fabric, config.routing, config.fabrics);
  if (problem.empty()) return;
  const toml::node* node = find_node(root, problem.substr(0, problem.find(':')));
  problems.add(node == nullptr ? config.path : location_of(*node), problem);
}

/// Reports a missing file before keys that the kind makes useless, which would otherwise have to be fixed first.
void check_topology_file(const toml::table& root, const Config& config, Problems& problems) {
  const TopologyOptions& topology = config.fabric.topology;
  const toml::node* node = find_node(root, "topology.kind");
  const Format* format = find_format("topology.kind", topology.kind);
  if (node == nullptr || format == nullptr || !topology.file.empty()) return;
  problems.add(location_of(*node),
               fmt::format("topology.file: kind = \"{}\" reads the fabric from {}, and none is given; add file = "
                           "\"...\" to [topology], with the path from this configuration's folder",
                           topology.kind, format->help));
}

/// Refuses a timer of less than a microsecond as a mistake in the unit: no ACK arrives so soon.
void check_timeouts(const toml::table& root, const Config& config, Problems& problems) {
  const auto check = [&](const char* key, TimePs given_ps) {
    const toml::node* node = find_node(root, key);
    if (node == nullptr || given_ps == 0 || given_ps >= 1'000'000) return;
    problems.add(
        location_of(*node),
        fmt::format("{}: \"{}\" is shorter than any round trip, so every packet would be retransmitted until its "
                    "queue pair fails; give at least \"1 us\", or 0 for no timer",
                    key, format_quantity(given_ps, Quantity::time_ps)));
  };
  check("roce.rto", config.roce.rto_ps);
  check("roce.rto_low", config.roce.rto_low_ps);
}

/// Sets the defaults of imported fabrics before the sections are bound. A spine in a file's graph, two links away from
/// hosts, is no deep-buffer chassis of Meta's.
void take_imported_defaults(const toml::table& root, Config& config) {
  const toml::node* kind = find_node(root, "topology.kind");
  if (kind == nullptr || find_format("topology.kind", kind->value_or(std::string_view())) == nullptr) return;
  config.fabric.ctsw_buffer = config.fabric.atsw_buffer = imported_buffer_defaults();
}

/// A preset sets values that the file does not give, and may depend on the speed of the NICs: the section is bound
/// again over the preset's values.
void apply_presets(const toml::table& root, Config& config) {
  for (const TimeoutPreset& preset : kTimeoutPresets) {
    if (preset.name != config.roce_options.timers) continue;
    config.roce.rto_ps = preset.rto_ps;
    config.roce.rto_tries = preset.rto_tries;
  }
  const HostPreset& host = host_preset(config.host_options.host);
  config.collective = host.collective;
  config.roce.proxy_latency_ps = host.proxy_latency_ps;
  config.roce.proxy_service_ps = host.proxy_service_ps;
  for (size_t j = 0; j < config.jobs.size(); ++j) {
    const auto given = [&](const char* key) { return find_node(root, fmt::format("job.{}.{}", j, key)) != nullptr; };
    if (!given("gpu")) config.jobs[j].gpu = host.gpu;
    if (!given("nvls")) config.jobs[j].nvls = host.nvls;
  }
  const u64 line_bps = nic_line_rate_bps(config);
  Problems already_reported;
  for_each_control(config.congestion, [&]<class Settings>(ControlSection<Settings>& control) {
    control.settings = Settings::preset(control.preset, line_bps);
  });
  for (const Section& section : sections_of(config)) {
    const bool of_control = std::ranges::find(kControls, section.path, &ControlInfo::name) != kControls.end();
    if (of_control || section.path == "roce" || section.path == "collective") bind_at(root, section, already_reported);
  }
}

/// Takes the speed of NVLink from a file that describes it, where the configuration does not give one.
void take_nvlink_rate(const toml::table& root, Config& config) {
  const Format* format = find_format("topology.kind", config.fabric.topology.kind);
  if (format == nullptr || !format->of_servers || find_node(root, "collective.nvlink_rate") != nullptr) return;
  const std::optional<PlainServers> imported = read_imported_file(config);
  if (imported && imported->nvlink_bits_per_s != 0)
    config.collective.nvlink_bytes_per_s = imported->nvlink_bits_per_s / 8;
}

Config config_of(const toml::table& root, const std::string& name) {
  Config config;
  config.path = name;
  Problems problems;
  resize_arrays(root, config, problems);
  take_imported_defaults(root, config);
  for (const Section& section : sections_of(config)) bind_at(root, section, problems);
  check_topology_file(root, config, problems);
  for (const Section& section : sections_of(config)) {
    const toml::node* node = find_node(root, section.path);
    if (node != nullptr && node->is_table()) report_keys_without_effect(*node->as_table(), section, problems);
  }
  check_checkpoint_interval(root, config, problems);
  check_reordering(root, config, problems);
  check_tcp(root, config, problems);
  check_transports(root, config, problems);
  check_timeouts(root, config, problems);
  if (problems.empty()) check_hash(root, config, problems);  // otherwise lists may be incomplete
  const std::string control = chosen_control(root, config.congestion, problems);
  if (!problems.empty()) throw ConfigError(problems.text());
  apply_presets(root, config);
  take_nvlink_rate(root, config);
  config.congestion.control = control;
  for_each_control(config.congestion, [&](auto& section) { section.enabled = section.kInfo.name == control; });
  return config;
}

}  // namespace

Config load_config(const std::string& path, std::span<const std::string> sets) {
  toml::table root = read_toml_file(path);
  apply_sets(root, sets);
  return config_of(root, path);
}

Config load_config_text(std::string_view text, const std::string& name, std::span<const std::string> sets) {
  toml::table root = read_toml_text(text, name);
  apply_sets(root, sets);
  return config_of(root, name);
}

std::string path_beside(const Config& config, const std::string& file) {
  const std::filesystem::path path(file);
  if (path.is_absolute()) return file;
  return (std::filesystem::path(config.path).parent_path() / path).string();
}

}  // namespace heddle
