// [routing]: a policy for all tiers or for each, with its settings. Policies come from the engine's own list.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/routing/parameters.hpp"
#include "tests/property/draw.hpp"
#include "tests/property/shape.hpp"

namespace heddle::property {
namespace {

std::string draw_policy(Draw& draw) {
  const bool keeps_flows = draw.percent(40);  // else also those whose packets overtake each other
  std::vector<std::string> names;
  for (const PolicyInfo& p : routing_policies()) {
    if (!p.follows_paths && !(keeps_flows && p.divides_flows)) names.emplace_back(p.name);
  }
  return names[draw.below(names.size())];
}

/// A value at which something happens in a small world.
i64 draw_number(std::string_view key, Draw& draw) {
  if (key == "gap") return static_cast<i64>(draw.pick<u64>({1, 100'000, 1'000'000, 5'000'000, 50'000'000}));
  if (key == "entries") return static_cast<i64>(draw.pick<u64>({1, 2, 3, 16, 256}));
  if (key == "grade") return i64{1} << draw.between(0, 17);
  throw std::logic_error("tests/property/routing_section.cpp does not know how to draw the setting " +
                         std::string(key) + " of a routing policy; teach it");
}

void write_settings(const Shape& shape, const PolicyInfo& policy, TomlText& toml) {
  Draw draw(shape.seed, "routing." + std::string(policy.name));
  toml.section("[routing." + std::string(policy.name) + "]");
  for (const PolicyParameter& p : policy.parameters) {
    if (!p.choices.empty()) {
      const auto words = static_cast<u64>(std::ranges::count(p.choices, '|')) + 1;
      toml.word(p.key, word_at(p.choices, static_cast<i64>(draw.below(words))));
      continue;
    }
    const auto value = static_cast<u64>(draw_number(p.key, draw));
    if (p.quantity == Quantity::time_ps) {
      toml.time_ps(p.key, value);
    } else if (p.quantity == Quantity::bytes) {
      toml.bytes(p.key, value);
    } else {
      toml.number(p.key, value);
    }
  }
}

}  // namespace

void write_routing(const Shape& shape, TomlText& toml) {
  Draw draw(shape.seed, "routing");
  const bool paths = shape.kind == "hpcc" && draw.percent(50);
  RoutingOptions routing;
  toml.section("[routing]");
  routing.policy = paths ? "explicit" : draw_policy(draw);
  toml.word("policy", routing.policy);
  if (paths) toml.file("paths_file", ".paths.csv", paths_text(shape.graph, shape.seed));
  for (const auto& [tier, own] :
       {std::pair("rtsw", &routing.rtsw), std::pair("ctsw", &routing.ctsw), std::pair("atsw", &routing.atsw)}) {
    if (!draw.percent(30)) continue;
    if (draw.percent(80)) *own = paths ? "explicit" : draw_policy(draw);  // else "same"
    toml.word(tier, *own);
  }
  if (!paths) toml.flag("common_seed", draw.percent(25));
  for (const PolicyInfo& policy : routing_policies()) {
    if (!policy.parameters.empty() && routing.uses(policy.name)) write_settings(shape, policy, toml);
  }
}

}  // namespace heddle::property
