#include "host/check/drawing/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "host/base/quantity_text.hpp"
#include "host/check/drawing/joins.hpp"

namespace heddle::drawing {
namespace {

enum class Way : u8 { up, across, down };

Way way_of(Tier from, Tier to) { return to > from ? Way::up : to < from ? Way::down : Way::across; }

constexpr std::string_view name_of(Way way) { return way == Way::up ? "up" : way == Way::down ? "down" : "across"; }

std::string range_text(Range range) {
  if (range.min == range.max) return count_text(range.min);
  return fmt::format("{} to {}", count_text(range.min), count_text(range.max));
}

/// "400G", as engineers name ports.
std::string port_text(u64 bits_per_s) {
  std::string text = rate_text(bits_per_s);
  constexpr std::string_view kUnit = "b/s";
  if (!text.ends_with(kUnit)) return text;
  text.resize(text.size() - kUnit.size());
  std::erase(text, ' ');
  return text;
}

constexpr size_t kMaxRates = 2;  // more are a range

std::string rates_text(u64 min_bits_per_s, u64 max_bits_per_s) {
  return fmt::format("{} to {}", port_text(min_bits_per_s), port_text(max_bits_per_s));
}

/// How many cables of a node lead one way, by rate.
std::map<u64, u32> cables_of(const NodesAlike& nodes, Way way) {
  std::map<u64, u32> cables;
  for (const Cabling& c : nodes.cabling) {
    if (way_of(nodes.tier, c.to) == way) cables[c.bits_per_s] += c.cables;
  }
  return cables;
}

/// The fewest and the most that `count` gives for a kind.
template <class Count>
Range range_of(std::span<const NodesAlike> kinds, const Count& count) {
  Range range{count(kinds[0]), count(kinds[0])};
  for (const NodesAlike& kind : kinds.subspan(1)) {
    const u32 value = count(kind);
    range = {std::min(range.min, value), std::max(range.max, value)};
  }
  return range;
}

/// "18 x 400G up"; "" where no cable leads that way.
std::string way_text(std::span<const NodesAlike> kinds, Way way) {
  std::set<u64> rates;
  for (const NodesAlike& kind : kinds) {
    for (const auto& [bits_per_s, cables] : cables_of(kind, way)) rates.insert(bits_per_s);
  }
  if (rates.empty()) return "";
  std::string text;
  if (rates.size() <= kMaxRates) {
    for (const u64 bits_per_s : rates) {
      const Range range = range_of(kinds, [&](const NodesAlike& kind) { return cables_of(kind, way)[bits_per_s]; });
      text += fmt::format("{}{} x {}", text.empty() ? "" : " + ", range_text(range), port_text(bits_per_s));
    }
  } else {
    const Range range = range_of(kinds, [&](const NodesAlike& kind) {
      u32 sum = 0;
      for (const auto& [bits_per_s, cables] : cables_of(kind, way)) sum += cables;
      return sum;
    });
    text = fmt::format("{} x {}", range_text(range), rates_text(*rates.begin(), *rates.rbegin()));
  }
  return fmt::format("{} {}", text, name_of(way));
}

/// "230.4 Tb/s", "11.06 Pb/s".
std::string capacity_text(u64 bits_per_s) {
  constexpr u64 kPeta = 1'000'000'000'000'000;
  if (bits_per_s < kPeta) return rate_text(bits_per_s);
  return fmt::format("{:.4g} Pb/s", static_cast<double>(bits_per_s) / static_cast<double>(kPeta));
}

std::string ratio_text(u64 down, u64 up) {
  if (down >= up) return fmt::format("{:.4g} : 1", static_cast<double>(down) / static_cast<double>(up));
  return fmt::format("1 : {:.4g}", static_cast<double>(up) / static_cast<double>(down));
}

/// "576 cables of 400G".
std::string cables_text(const LayerSummary& layer) {
  const std::string cables = fmt::format("{} cable{}", count_text(layer.cables), layer.cables == 1 ? "" : "s");
  if (layer.rates.size() == 1) return fmt::format("{} of {}", cables, port_text(layer.rates[0].first));
  if (layer.rates.size() > kMaxRates)
    return fmt::format("{} of {}", cables, rates_text(layer.rates.front().first, layer.rates.back().first));
  std::string text;
  for (const auto& [bits_per_s, count] : layer.rates)
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", count_text(count), port_text(bits_per_s));
  return fmt::format("{}: {}", cables, text);
}

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string all;
  for (const std::string& text : texts) all.append(all.empty() ? "" : between).append(text);
  return all;
}

/// "8 leaves", "4 to 8 leaves".
std::string switches_text(const FabricSummary& fabric) {
  const Range range = fabric.switches_per_server;
  return fmt::format("{} {}", range_text(range),
                     range.max == 1 ? fabric.tiers[1].info.title : fabric.tiers[1].info.plural);
}

/// "16 pods of 4 units"; without the units if pods have different numbers of them.
std::string groups_text(const Group& group) {
  const Group& first = group.parts[0];
  const std::string text = counted(group.parts.size(), first.noun);
  const bool all_alike =
      std::ranges::all_of(group.parts, [&](const Group& part) { return part.parts.size() == first.parts.size(); });
  return first.parts.empty() || !all_alike ? text : text + " of " + groups_text(first);
}

bool is_fixed(Range range) { return range.min == range.max; }

std::string others_text(Range others) {
  return fmt::format("{} other{}", range_text(others), others.max == 1 ? "" : "s");
}

void add_parallel_cables(Range per_pair, std::vector<std::string>& lines) {
  if (per_pair.max > 1) lines.push_back(fmt::format("by {} cables", range_text(per_pair)));
}

}  // namespace

std::string count_text(u64 count) {
  std::string text = std::to_string(count);
  for (size_t digits = 3; digits < text.size(); digits += 4) text.insert(text.size() - digits, ",");
  return text;
}

std::string nodes_text(const TierInfo& info, u64 nodes) {
  return fmt::format("{} {}", count_text(nodes), nodes == 1 ? info.title : info.plural);
}

BoxText box_text(const FabricSummary& fabric, std::span<const NodesAlike> kinds) {
  BoxText text;
  const auto add = [&](Way way) {
    if (std::string line = way_text(kinds, way); !line.empty()) text.lines.push_back(std::move(line));
  };
  u64 nodes = 0;
  for (const NodesAlike& kind : kinds) nodes += kind.nodes;
  add(Way::up);
  text.bold = text.lines.size();
  text.lines.push_back(nodes_text(fabric.tiers[static_cast<u32>(kinds[0].tier)].info, nodes));
  add(Way::across);
  add(Way::down);
  return text;
}

std::vector<std::string> tier_text(const FabricSummary& fabric, Tier tier) {
  const TierSummary& t = fabric.tiers[static_cast<u32>(tier)];
  std::vector<std::string> lines{nodes_text(t.info, t.nodes)};
  std::string capacity;
  const auto add = [&](u64 bits_per_s, Way way) {
    if (bits_per_s == 0) return;
    capacity += fmt::format("{}{} {}", capacity.empty() ? "" : ", ", capacity_text(bits_per_s), name_of(way));
  };
  add(t.down_bits_per_s, Way::down);
  add(t.across_bits_per_s, Way::across);
  add(t.up_bits_per_s, Way::up);
  if (!capacity.empty()) lines.push_back(capacity);
  if (t.down_bits_per_s > 0 && t.up_bits_per_s > 0)
    lines.push_back(fmt::format("down : up = {}", ratio_text(t.down_bits_per_s, t.up_bits_per_s)));
  return lines;
}

bool is_oversubscribed(const TierSummary& tier) {
  return tier.up_bits_per_s > 0 && tier.down_bits_per_s > tier.up_bits_per_s;
}

std::vector<std::string> layer_text(const FabricSummary& fabric, const LayerSummary& layer) {
  std::vector<std::string> lines{cables_text(layer)};
  if (layer.low == layer.high) {
    lines[0] += " between " + fabric.tiers[static_cast<u32>(layer.low)].info.plural;
    const std::string& node = fabric.tiers[static_cast<u32>(layer.low)].info.title;
    const GroupJoins& joins = layer.joins;
    if (joins.noun.empty()) {
      lines.push_back(fmt::format("each {} to {}", node, others_text(layer.neighbours)));
      add_parallel_cables(layer.cables_per_pair, lines);
    } else {
      const std::string each = is_all_to_all(joins) ? "each of " : range_text(joins.neighbours) + " of ";
      lines.push_back(fmt::format("each {} to {}{}", joins.noun, each, others_text(joins.others)));
      add_parallel_cables(joins.cables_per_pair, lines);
    }
    return lines;
  }
  if (layer.low == Tier::endpoint && layer.high == Tier{1} && fabric.nics_per_server > 1)
    lines.push_back(fmt::format("each server: {} NICs to {}", fabric.nics_per_server, switches_text(fabric)));
  if (layer.low == Tier::endpoint && layer.neighbours.max == 1) return lines;
  const TierSummary &low = fabric.tiers[static_cast<u32>(layer.low)],
                    &high = fabric.tiers[static_cast<u32>(layer.high)];
  if (layer.low == Tier::endpoint) {
    lines.push_back(fmt::format("each {} to {} {}", low.info.title, range_text(layer.neighbours), high.info.plural));
    return lines;
  }
  const bool has_all = is_fixed(layer.neighbours) && layer.neighbours == layer.reach;
  const std::string others =
      has_all ? "each of " + nodes_text(high.info, layer.reach.max)
      : is_fixed(layer.reach)
          ? fmt::format("{} of {}", range_text(layer.neighbours), nodes_text(high.info, layer.reach.max))
          : fmt::format("{} {}", range_text(layer.neighbours), high.info.plural);
  lines.push_back(fmt::format("each {} to {}", low.info.title, others));
  std::string details = layer.scope.empty() ? "" : "of its " + layer.scope;
  if (layer.cables_per_pair.max > 1)
    details += fmt::format("{}by {} cables", details.empty() ? "" : ", ", range_text(layer.cables_per_pair));
  if (!details.empty()) lines.push_back(std::move(details));
  return lines;
}

std::string sizes_text(const FabricSummary& fabric) {
  u64 switches = 0, cables = 0;
  for (size_t t = 1; t < fabric.tiers.size(); ++t) switches += fabric.tiers[t].nodes;
  for (const LayerSummary& layer : fabric.layers) cables += layer.cables;
  const std::string groups = fabric.whole.parts.empty() ? "" : "; " + groups_text(fabric.whole);
  return fmt::format("{}, {} switch{}, {} cable{}{}", nodes_text(fabric.tiers[0].info, fabric.tiers[0].nodes),
                     count_text(switches), switches == 1 ? "" : "es", count_text(cables), cables == 1 ? "" : "s",
                     groups);
}

std::vector<std::string> hidden_text(const Group& parent, size_t shown) {
  const size_t hidden = parent.parts.size() - shown - 1;
  const auto is_first = [&](const Group& part) { return alike(part, parent.parts[0]); };
  const bool all_alike = std::ranges::all_of(parent.parts, is_first);
  return {fmt::format("{} more", count_text(hidden)),
          all_alike ? (shown > 1 ? "like these" : "alike") : "not all alike"};
}

std::string description_text(const FabricSummary& fabric) {
  std::string text = sizes_text(fabric) + ".";
  for (size_t t = fabric.tiers.size(); t-- > 0;) {
    if (fabric.tiers[t].nodes == 0) continue;
    text += " " + joined(tier_text(fabric, Tier{static_cast<u8>(t)}), ", ") + ".";
    for (const LayerSummary& layer : fabric.layers) {
      if (static_cast<size_t>(layer.high) == t) text += " " + joined(layer_text(fabric, layer), " ") + ".";
    }
  }
  return text;
}

}  // namespace heddle::drawing
