// [routing]: a policy for all tiers or for each, with its settings. Policies come from the engine's own list.
#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/routing/parameters.hpp"
#include "tests/property/draw.hpp"
#include "tests/property/shape.hpp"

namespace heddle::property {
namespace {

/// NICs with several ports have no controller, which plans one path for each.
std::string draw_policy(const Shape& shape, Draw& draw) {
  const bool keeps_flows = draw.percent(40);  // else also policies whose packets arrive out of order
  std::vector<std::string> names;
  for (const PolicyInfo& p : routing_policies()) {
    if (!p.follows_paths && !(keeps_flows && p.multipath)) names.emplace_back(p.name);
  }
  const std::string policy = names[draw.below(names.size())];
  return shape.nic_ports() > 1 && policy == "traffic_engineering" ? "ecmp" : policy;
}

/// Draws a value that takes effect in a small world.
i64 draw_number(std::string_view key, Draw& draw) {
  if (key == "gap") return static_cast<i64>(draw.pick<u64>({1, 100'000, 1'000'000, 5'000'000, 50'000'000}));
  if (key == "entries") return static_cast<i64>(draw.pick<u64>({1, 2, 3, 16, 256}));
  if (key == "start") return static_cast<i64>(draw.pick<u64>({0, 0, 1'000'000, 5'000'000, 20'000'000}));
  if (key == "period") return static_cast<i64>(draw.pick<u64>({0, 0, 1'000'000, 10'000'000}));
  if (key == "detour_threshold") return static_cast<i64>(draw.pick<u64>({0, 0, 1000, 65'536}));
  if (key == "grade") return i64{1} << draw.between(0, 17);
  throw std::logic_error("tests/property/routing_section.cpp does not know how to draw the setting " +
                         std::string(key) + " of a routing policy; teach it");
}

/// With `demands_given` a controller cannot measure any demands.
void write_settings(const Shape& shape, const PolicyInfo& policy, bool demands_given, TomlText& toml) {
  Draw draw(shape.seed, "routing." + std::string(policy.name));
  bool measured = false;
  toml.section("[routing." + std::string(policy.name) + "]");
  for (const PolicyParameter& p : policy.parameters) {
    if (!p.choices.empty()) {
      const auto words = static_cast<u64>(std::ranges::count(p.choices, '|')) + 1;
      std::string_view word = word_at(p.choices, static_cast<i64>(draw.below(words)));
      if (word == "measured" && demands_given) word = "workload";
      if (p.key == "detours") word = shape.detours ? "when_shorter" : "never";
      measured = measured || word == "measured";
      toml.word(p.key, word);
      continue;
    }
    auto value = static_cast<u64>(draw_number(p.key, draw));
    if (p.key == "period" && measured) value = draw.pick<u64>({5'000'000, 20'000'000, 100'000'000});
    if (p.quantity == Quantity::time_ps) {
      toml.time_ps(p.key, value);
    } else if (p.quantity == Quantity::bytes) {
      toml.bytes(p.key, value);
    } else {
      toml.number(p.key, value);
    }
  }
  if (measured) write_control_network(shape, toml);
}

/// Some words of "a|b|c", at least one.
std::vector<std::string> draw_words(std::string_view words, Draw& draw) {
  std::vector<std::string> all, some;
  for (i64 i = 0; !word_at(words, i).empty(); ++i) all.emplace_back(word_at(words, i));
  const u32 percent = draw.percent(30) ? 20 : 70;
  for (const std::string& word : all) {
    if (draw.percent(percent)) some.push_back(word);
  }
  if (some.empty()) some.push_back(all[draw.below(all.size())]);
  return some;
}

template <class T, class TextOf>
std::string list_of(const std::vector<T>& values, const TextOf& text_of) {
  std::string list;
  for (const T& value : values) list += (list.empty() ? "" : ", ") + text_of(value);
  return "[" + list + "]";
}

/// Returns demands between switches with hosts, for some pairs.
std::string demands_text(const Shape& shape, Draw& draw) {
  std::set<std::string> racks;
  for (size_t i = 0; i < shape.graph.hosts.size(); ++i) {
    const ImportedGraph::Cable& cable = shape.graph.cables[i];
    racks.insert("switch" + std::to_string(cable.a == shape.graph.hosts[i] ? cable.b : cable.a));
  }
  for (u32 rtsw = 0; shape.kind != "hpcc" && !shape.any && rtsw < shape.zones * shape.racks; ++rtsw)
    racks.insert(shape.rack_switch(rtsw));
  for (EndpointId e = 0; shape.any && e < shape.endpoints; ++e) racks.insert(shape.any->name(shape.any->switch_of(e)));
  std::string text = "src_rack,dst_rack,bytes\n";
  for (const std::string& from : racks) {
    for (const std::string& to : racks) {
      if (from == to || draw.percent(40)) continue;
      text += from + "," + to + "," + std::to_string(draw.between(1, draw.percent(50) ? 5 : 1'000'000)) + "\n";
    }
  }
  return text;
}

bool is_chip_function(const std::string& f) { return f != "ideal" && f != kSameHash; }

/// `tiers`: how many of leaves, spines and cores the fabric has. Offsets fit every function, also with fold.
std::vector<TierHashOptions> draw_hashes_of(size_t tiers, Draw& draw) {
  if (draw.percent(20)) return {};
  std::vector<TierHashOptions> hashes(kLeafTierNames.size());
  for (size_t i = 0; i < tiers; ++i) {
    if (draw.percent(85))
      hashes[i].function = word_at(kHashFunctionWords, static_cast<i64>(draw.below(kHashFunctions)));
    if (is_chip_function(hashes[i].function) && draw.percent(60)) hashes[i].offset = {draw.below(8)};
  }
  return hashes;
}

void write_hash(const Shape& shape, TomlText& toml) {
  Draw draw(shape.seed, "routing.hash");
  if (draw.percent(40)) return;
  toml.section("[routing.hash]");
  if (draw.percent(70)) toml.word("seed", draw.pick<const char*>({"same", "per_tier", "per_switch"}));
  if (draw.percent(50)) toml.raw("fields", list_of(draw_words(kHashFieldWords, draw), TomlText::quoted));
  if (draw.percent(30)) return;
  HashOptions hash;
  const bool by_tier = !shape.tier_hashes.empty();  // then lists would give tiers a second value
  hash.function.resize(draw.percent(50) || by_tier ? 1 : 3);
  for (std::string& word : hash.function)
    word = word_at(kHashFunctionWords, static_cast<i64>(draw.below(kHashFunctions)));
  toml.raw("function", list_of(hash.function, TomlText::quoted));
  std::vector<std::string> used = hash.function;
  for (const TierHashOptions& tier : shape.tier_hashes) used.push_back(tier.function);
  if (std::ranges::none_of(used, is_chip_function)) return;
  for (const TierHashOptions& tier : shape.other_tier_hashes) used.push_back(tier.function);
  const auto is_wide = [](const std::string& f) { return !is_chip_function(f) || f.starts_with("crc32"); };
  u64 width = std::ranges::all_of(used, is_wide) ? 32 : 16;
  if (draw.percent(40)) {
    toml.flag("fold", true);
    width /= 2;
  }
  if (draw.percent(60)) {
    hash.offset.resize(draw.percent(50) || by_tier ? 1 : 3);
    for (u64& offset : hash.offset) offset = draw.below(width);
    toml.raw("offset", list_of(hash.offset, [](u64 offset) { return std::to_string(offset); }));
  }
  if (draw.percent(40)) toml.number("bits", draw.between(1, width));
}

/// Calls f(from, to) with the names of neighbouring switches, in both directions, each pair once. ATSWs are left out.
template <class F>
void for_each_switch_pair(const Shape& shape, const F& f) {
  std::set<std::pair<std::string, std::string>> pairs;
  const auto add = [&](const std::string& a, const std::string& b) {
    pairs.emplace(a, b);
    pairs.emplace(b, a);
  };
  for (size_t i = shape.graph.hosts.size(); i < shape.graph.cables.size(); ++i)
    add("switch" + std::to_string(shape.graph.cables[i].a), "switch" + std::to_string(shape.graph.cables[i].b));
  if (shape.any) {
    for (const Cable& cable : shape.any->graph.cables)
      if (cable.a >= shape.endpoints) add(shape.any->name(cable.a), shape.any->name(cable.b));
  }
  for (u32 rtsw = 0; rtsw < shape.zones * shape.racks; ++rtsw) {
    for (u32 i = 0; i < shape.ctsws; ++i)
      add(shape.rack_switch(rtsw), shape.spine(rtsw / shape.racks * shape.ctsws + i));
  }
  for (const auto& [from, to] : pairs) f(from, to);
}

/// Returns weights of switches towards each other; some links have weight 0.
std::string weights_text(const Shape& shape, Draw& draw) {
  std::string text = "switch,next_hop,weight\n";
  const auto line = [&](const std::string& from, const std::string& to) {
    if (draw.percent(40)) return;
    const u64 weight = draw.percent(20) ? 0 : draw.percent(10) ? draw.between(1, 1'000'000) : draw.between(1, 9);
    text += from + "," + to + "," + std::to_string(weight) + "\n";
  };
  for_each_switch_pair(shape, line);
  return text;
}

/// Writes a controller that measures soon and often, in all tiers.
void write_measuring(const Shape& shape, TomlText& toml) {
  Draw draw(shape.seed, "a controller that measures");
  toml.section("[routing]");
  toml.word("policy", "traffic_engineering");
  toml.section("[routing.traffic_engineering]");
  toml.word("demands", "measured");
  toml.time_ps("start", draw.pick<u64>({0, 1'000'000, 5'000'000}));
  toml.time_ps("period", draw.pick<u64>({5'000'000, 20'000'000}));
  write_control_network(shape, toml);
}

}  // namespace

void draw_tier_policies(Shape& shape) {
  Draw draw(shape.seed, "routing by tier");
  for (std::string& policy : shape.tier_policies)
    if (draw.percent(90)) policy = draw.percent(90) ? draw_policy(shape, draw) : std::string(kSamePolicy);
  if (shape.detours) shape.tier_policies[1] = "adaptive";
}

void draw_tier_hashes(Shape& shape) {
  Draw draw(shape.seed, "hash by tier"), other(shape.seed, "hash by tier of another fabric");
  if (shape.of_leaves()) shape.tier_hashes = draw_hashes_of(shape.atsws == 0 ? 2 : 3, draw);
  shape.other_tier_hashes = draw_hashes_of(2, other);
}

void write_tier_hash(const TierHashOptions& tier, TomlText& toml) {
  toml.word("hash_function", tier.function);
  if (!tier.offset.empty()) toml.number("hash_offset", tier.offset[0]);
}

bool has_given_paths(const Shape& shape) {
  return !shape.silent_racks && shape.kind == "hpcc" && Draw(shape.seed, "routing").percent(50);
}

void write_routing(const Shape& shape, TomlText& toml) {
  if (shape.silent_racks) return write_measuring(shape, toml);
  Draw draw(shape.seed, "routing");
  const bool paths = shape.kind == "hpcc" && draw.percent(50);  // has_given_paths
  RoutingOptions routing;
  toml.section("[routing]");
  routing.policy = paths ? "explicit" : draw_policy(shape, draw);
  toml.word("policy", routing.policy);
  if (paths) toml.file("paths_file", ".paths.csv", paths_text(shape.graph, shape.seed));
  for (const auto& [tier, own] :
       {std::pair("rtsw", &routing.rtsw), std::pair("ctsw", &routing.ctsw), std::pair("atsw", &routing.atsw)}) {
    if (!draw.percent(30) || shape.of_leaves()) continue;
    if (draw.percent(80)) *own = paths ? "explicit" : draw_policy(shape, draw);  // else "same"
    toml.word(tier, *own);
  }
  for (size_t i = 0; shape.of_leaves() && i < shape.tier_policies.size(); ++i)
    if (!shape.tier_policies[i].empty()) routing.tiers[i].policy = shape.tier_policies[i];
  const std::span<const std::string_view> tiers = shape.of_leaves() ? kLeafTierNames : kZoneTierNames;
  const auto uses = [&](std::string_view policy) { return routing.uses(policy, tiers); };
  if (!paths && uses("weighted") && draw.percent(50))
    toml.file("weights_file", ".weights.csv", weights_text(shape, draw));
  bool demands_given = !paths && shape.kind != "star" && uses("traffic_engineering") && draw.percent(50);
  if (demands_given) {
    const std::string demands = demands_text(shape, draw);
    demands_given = std::ranges::count(demands, '\n') > 1;
    if (demands_given) toml.file("demands_file", ".demands.csv", demands);
  }
  for (const PolicyInfo& policy : routing_policies()) {
    if (!policy.parameters.empty() && uses(policy.name)) write_settings(shape, policy, demands_given, toml);
  }
  if (!paths) write_hash(shape, toml);
}

}  // namespace heddle::property
