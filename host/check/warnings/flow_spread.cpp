#include "host/check/warnings/flow_spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "host/check/estimates/qp_path.hpp"
#include "host/check/warnings/flow_sample.hpp"
#include "kernels/routing/policy_info.hpp"

namespace heddle {
namespace {

/// The flows that arrive at one set of next hops of one switch.
struct Choice {
  double flows = 0;
  std::map<u16, double> of_port;
};

using Choices = std::map<std::pair<NodeId, u32>, Choice>;  // (switch, index in NextHopTable::sets)

bool hashes_flows(const PolicyInfo& policy) {
  return !policy.multipath && !policy.follows_paths && !policy.steers_flows;
}

/// Adds the choices that switches make for the flow, hop by hop.
void add_choices(const World& world, const Qp& qp, const std::vector<Hop>& hops, Choices& choices) {
  const Routing& r = world.routing;
  for (const Hop& hop : hops) {
    const Link& link = world.fabric.links[hop.link];
    const u32 to = address_of(world.fabric, qp.dst, hop.port);
    if (link.src < world.fabric.endpoints || link.src == r.attach_switch[to]) continue;
    if (!hashes_flows(policy_at(world, link.src))) continue;
    const u32 set = r.table.set_in_row(r.row_of(link.src), r.group_of[to]);
    if (r.table.sets[set].count < 2) continue;
    Choice& choice = choices[{link.src, set}];
    choice.flows += hop.share;
    choice.of_port[static_cast<u16>(link.src_port)] += hop.share;
  }
}

/// [next hop] its intended share of the flows.
std::vector<double> meant_shares(const World& world, NodeId at, std::span<const u16> ports) {
  const Routing& r = world.routing;
  std::vector<double> share(ports.size(), 1);
  if (policy_at(world, at).weighs_links && !r.link_weight.empty()) {
    for (size_t i = 0; i < ports.size(); ++i) share[i] = r.link_weight[world.fabric.nodes[at].first_link + ports[i]];
  }
  double sum = 0;
  for (const double s : share) sum += s;
  for (double& s : share) s = sum == 0 ? 1.0 / static_cast<double>(ports.size()) : s / sum;
  return share;
}

void add_to(const World& world, NodeId at, u32 set, const Choice& choice, TierSpread& sum) {
  const std::vector<double> meant = meant_shares(world, at, world.routing.table.ports_of(set));
  const double n = choice.flows;
  double squares = 0, meant_squares = 0;
  for (const double share : meant) {
    sum.even_used += 1 - std::pow(1 - share, n);
    meant_squares += share * share;
    sum.links += share > 0;
  }
  for (const auto& [port, flows] : choice.of_port) squares += flows * flows;
  sum.flows += n;
  sum.used += static_cast<double>(choice.of_port.size());
  sum.equal += n * n / squares;
  sum.even_equal += n * n / (n + n * (n - 1) * meant_squares);  // n^2 over the expected sum of squares
}

/// Advice for a tier that receives flows already grouped by an earlier tier.
std::string advice(const World& world, Tier tier) {
  const RoutingHash& hash = world.routing.hash;
  const bool ideal = hash.of_tier[static_cast<u32>(tier)].function == HashFunction::ideal;
  if (hash.seed == HashSeed::same || (!ideal && hash.seed == HashSeed::per_tier)) {
    return ideal
               ? "give tiers or switches seeds of their own (routing.hash.seed)"
               : "CRC and XOR are linear, so seeds by tier change nothing: give tiers different functions or offsets, "
                 "such as routing.hash.offset = [0, 5, 10], or every switch a seed of its own";
  }
  return ideal
             ? "hash more fields (routing.hash.fields), so that flows differ"
             : "CRC and XOR are linear, so flows of one switch stay together whatever the seeds: give tiers different "
               "functions or offsets, such as routing.hash.offset = [0, 5, 10], or hash more fields";
}

}  // namespace

std::vector<TierSpread> flow_spread(const World& world) {
  const auto& nodes = world.fabric.nodes;
  const bool any_hashes = std::any_of(nodes.begin() + world.fabric.endpoints, nodes.end(), [&](const Node& node) {
    return hashes_flows(policy_named(world.routing.policy_of(node)));
  });
  if (world.routing.paths_are_given() || !any_hashes) return {};
  Choices choices;
  QpPaths paths(world);
  for (const Qp& qp : sample_flows(world)) add_choices(world, qp, paths.hops(qp, Way::data), choices);
  std::array<TierSpread, kMaxTiers> sums;
  std::array<double, kMaxTiers> sets = {};
  for (const auto& [where, choice] : choices) {
    const auto tier = static_cast<u32>(world.fabric.nodes[where.first].tier);
    add_to(world, where.first, where.second, choice, sums[tier]);
    ++sets[tier];
  }
  std::vector<TierSpread> spread;
  for (u32 tier = 0; tier < kMaxTiers; ++tier) {
    if (sets[tier] == 0) continue;
    TierSpread mean = sums[tier];
    mean.tier = static_cast<Tier>(tier);
    for (double* value : {&mean.flows, &mean.links, &mean.used, &mean.even_used, &mean.equal, &mean.even_equal})
      *value /= sets[tier];
    spread.push_back(mean);
  }
  return spread;
}

std::string spread_text(const World& world, const std::vector<TierSpread>& spread) {
  std::string text;
  for (const TierSpread& s : spread) {
    text += fmt::format(
        "{} {} have {:.4g} flows each for {:.4g} next hops: {:.1f} of them carry flows (ideal hash: {:.1f}), and "
        "together they carry as much as {:.1f} equally loaded ones (ideal hash: {:.1f})\n",
        text.empty() ? "hash      " : "          ", tier_of(world.fabric, s.tier).plural,
        s.flows >= 10 ? std::round(s.flows) : s.flows, s.links, s.used, s.even_used, s.equal, s.even_equal);
  }
  return text;
}

std::vector<std::string> polarisation_warnings(const World& world, const std::vector<TierSpread>& spread) {
  constexpr double kFew = 0.75;  // random hashing hardly ever leaves so few
  std::vector<std::string> warnings;
  for (const TierSpread& s : spread) {
    if (s.used_share() >= kFew && s.equal >= kFew * s.even_equal) continue;
    warnings.push_back(fmt::format(
        "hash polarisation: of {:.4g} equal next hops, {} use {:.1f} on average, where an ideal hash would use {:.1f}; "
        "together they carry as much as {:.1f} equally loaded ones, where it would be {:.1f}. Flows that an earlier "
        "switch has put together stay together, and other links stay idle; {}",
        s.links, tier_of(world.fabric, s.tier).plural, s.used, s.even_used, s.equal, s.even_equal,
        advice(world, s.tier)));
  }
  return warnings;
}

}  // namespace heddle
