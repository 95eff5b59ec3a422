#include "io/formats/hpcc_link_down.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

/// third.cc: 2 s, and LINK_DOWN's microseconds.
constexpr u64 kFrom_ps = 2'000'000'000'000, kMicrosecond_ps = 1'000'000, kLatest_us = 1'000'000'000'000;

/// kNone: the file has no node of such a number.
u32 node_of(const Field& field, const PlainTopology& topology) {
  const Decimal number = parse_decimal(field.text, 0);
  const bool is_node = number.error == DecimalError::none && number.value < topology.nodes;
  return is_node ? static_cast<u32>(number.value) : kNone;
}

/// Empty: a link between two switches.
std::string problem_of(u32 a, u32 b, const HpccEntry& entry, const PlainTopology& topology) {
  const bool joined = std::ranges::any_of(topology.links, [&](const PlainLink& link) {
    return std::pair{link.a, link.b} == std::pair{a, b} || std::pair{link.b, link.a} == std::pair{a, b};
  });
  if (!joined) {
    return fmt::format("no link joins nodes {} and {}, of which ns-3 would say nothing; name two that one joins",
                       entry.values[1].text, entry.values[2].text);
  }
  for (const u32 node : {a, b}) {
    if (std::ranges::find(topology.switches, node) != topology.switches.end()) continue;
    return fmt::format(
        "node {} is a host and would have no link left, at which ns-3's program stops; name two switches", node);
  }
  return "";
}

}  // namespace

std::optional<HpccLinkDown> hpcc_link_down(HpccConfig& config, const HpccInputs& inputs) {
  const HpccEntry* entry = config.find("LINK_DOWN");
  const u64 us = config.whole("LINK_DOWN").value_or(0);
  if (entry == nullptr || us == 0) return {};
  if (us > kLatest_us) return config.refuse("LINK_DOWN", "it is later than any run; use 0 0 0"), std::nullopt;
  if (!inputs.topology) {
    config.refuse("LINK_DOWN",
                  "which nodes the link joins stands in TOPOLOGY_FILE, which is not there or is refused; put it in its "
                  "place, or use 0 0 0");
    return {};
  }
  const u32 a = node_of(entry->values[1], *inputs.topology), b = node_of(entry->values[2], *inputs.topology);
  if (const std::string problem = problem_of(a, b, *entry, *inputs.topology); !problem.empty())
    return config.refuse("LINK_DOWN", problem), std::nullopt;
  return HpccLinkDown{a, b, kFrom_ps + us * kMicrosecond_ps};
}

}  // namespace heddle
