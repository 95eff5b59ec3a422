#include "io/formats/hpcc_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "io/error.hpp"
#include "io/formats/hpcc.hpp"
#include "io/formats/links.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

struct Place {
  std::string found;  // from the current folder; empty: it is nowhere
  std::string named;  // from the configuration's folder
};

Place place_of(const std::string& name, const std::string& config_path, const std::string& folder) {
  Place place;
  if (name.empty()) return place;
  const fs::path beside = fs::path(config_path).parent_path();
  for (const fs::path& base : {fs::path(), beside, beside / ".."}) {
    std::error_code error;
    if (!fs::is_regular_file(base / name, error)) continue;
    place.found = (base / name).string();
    break;
  }
  const fs::path at = place.found.empty() ? fs::path(name) : fs::path(place.found);
  const fs::path from = fs::absolute(folder.empty() ? "." : folder).lexically_normal();
  place.named =
      fs::path(name).is_absolute() ? name : fs::absolute(at).lexically_normal().lexically_proximate(from).string();
  return place;
}

void note_place(const HpccConfig& config, const std::string& key, const std::string& name, const Place& place,
                HpccInputs& inputs) {
  if (name.empty()) return;
  if (!place.found.empty()) {
    inputs.found.emplace_back(key, place.found);
    return;
  }
  const HpccEntry* entry = config.find(key);
  inputs.missing.push_back(fmt::format(
      "{}:{}:{}: {} {}: there is no such file in the current folder, beside {}, or in the folder above that; the "
      "configuration names it as \"{}\", which `heddle run` refuses until it is there",
      config.path(), entry->line, entry->column, key, name, config.path(), place.named));
}

/// HPCC's tree has a folder mix/ for its outputs.
void note_output(const HpccConfig& config, std::string_view key, std::string_view export_key, HpccInputs& inputs) {
  const HpccEntry* entry = config.find(key);
  if (entry == nullptr) return;
  const fs::path folder = fs::path(entry->values[0].text).parent_path();
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return;
  inputs.missing.push_back(fmt::format(
      "{}:{}:{}: {}: folder '{}' does not exist, seen from the current folder, and `heddle run` makes none; create it "
      "where you run, or give another place with --set output.{}=FILE",
      config.path(), entry->line, entry->column, entry->text(), folder.string(), export_key));
}

std::string required(HpccConfig& config, std::string_view key) {
  const auto name = config.word(key);
  if (!name) config.refuse(key, "HPCC's program has no default for it; name the file");
  return name.value_or("");
}

/// Whether the whole file is what its first line declares.
bool is_whole(const std::string& path, u32 nodes, bool flows) {
  try {
    if (flows) {
      read_hpcc_flows(path, nodes);
    } else {
      read_hpcc_topology(path);
    }
    return true;
  } catch (const InputError&) {
    return false;
  }
}

void read_topology(HpccConfig& config, const std::string& path, HpccInputs& inputs, u32& nodes) {
  const PlainTopology& declared = inputs.topology.emplace(read_hpcc_topology(path, {.accept_extra_lines = true}));
  nodes = declared.nodes;
  if (const std::string lossy = lossy_link_of(declared, path); !lossy.empty()) config.refuse("TOPOLOGY_FILE", lossy);
  std::vector<bool> is_switch(nodes, false);
  for (const u32 id : declared.switches) is_switch[id] = true;
  u32 first_host = nodes;
  for (const PlainLink& link : declared.links) {
    if (is_switch[link.a] || is_switch[link.b]) inputs.switch_bits_per_s.insert(link.bits_per_s);
    for (const u32 id : {link.a, link.b}) {
      if (!is_switch[id] && id < first_host) first_host = id, inputs.host_bits_per_s = link.bits_per_s;
    }
  }
  if (is_whole(path, 0, false)) return;
  inputs.first_hosts = nodes - static_cast<u32>(declared.switches.size());
  if (read_hpcc_topology(path, {.first_hosts = inputs.first_hosts}).links.size() != declared.links.size()) {
    config.refuse(
        "TOPOLOGY_FILE",
        "HPCC reads as many links as its first line declares, and the file has more between the nodes that are "
        "declared; remove those that are not meant");
  }
}

void read_flows(const std::string& path, HpccInputs& inputs, u32 nodes) {
  const std::vector<PlainFlow> flows = read_hpcc_flows(path, nodes, {.accept_extra_lines = true});
  if (!is_whole(path, nodes, true)) inputs.first_flows = static_cast<u32>(flows.size());
  std::map<std::pair<u32, u32>, u32> of_pair;
  for (const PlainFlow& flow : flows) {
    inputs.flows_of_a_pair = std::max(inputs.flows_of_a_pair, ++of_pair[{flow.src, flow.dst}]);
  }
  inputs.flows_known = true;
  for (const auto& [pair, count] : of_pair) inputs.pairs.push_back(pair);
}

}  // namespace

HpccInputs read_hpcc_inputs(HpccConfig& config, const std::string& folder) {
  HpccInputs inputs;
  u32 nodes = 0;
  const std::string topology = required(config, "TOPOLOGY_FILE"), flows = required(config, "FLOW_FILE");
  const Place topology_place = place_of(topology, config.path(), folder),
              flow_place = place_of(flows, config.path(), folder);
  inputs.topology_file = topology_place.named;
  inputs.flow_file = flow_place.named;
  note_place(config, "TOPOLOGY_FILE", topology, topology_place, inputs);
  note_place(config, "FLOW_FILE", flows, flow_place, inputs);
  note_output(config, "FCT_OUTPUT_FILE", "fct_file", inputs);
  note_output(config, "PFC_OUTPUT_FILE", "pfc_file", inputs);
  try {
    if (!topology.empty() && !topology_place.found.empty()) read_topology(config, topology_place.found, inputs, nodes);
  } catch (const InputError& error) {
    config.refuse("TOPOLOGY_FILE", error.what());
  }
  try {
    if (!flows.empty() && !flow_place.found.empty()) read_flows(flow_place.found, inputs, nodes);
  } catch (const InputError& error) {
    config.refuse("FLOW_FILE", error.what());
  }
  return inputs;
}

}  // namespace heddle
