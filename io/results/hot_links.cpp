#include "io/results/hot_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "io/results/layout.hpp"
#include "io/results/mean_rates.hpp"

namespace heddle {
namespace {

/// Share of `time_ps` in which a link that could carry `bits_per_s` has sent.
double share_of(u64 sent_bytes, u64 bits_per_s, TimePs time_ps) {
  const double could_bytes = static_cast<double>(bits_per_s) * static_cast<double>(time_ps) / 8e12;
  return could_bytes > 0 ? static_cast<double>(sent_bytes) / could_bytes : 0;
}

/// Utilisation, at most 1: where times are cut per packet (to whole picoseconds, or nanoseconds) a full link carries
/// slightly more than its rate.
double use_of(u64 sent_bytes, u64 bits_per_s, TimePs time_ps) {
  return std::min(1.0, share_of(sent_bytes, bits_per_s, time_ps));
}

/// Whether some link sent more than it could until `time_ps`: copies of delivered packets were still in flight.
bool sent_later(const LinkNames& names, std::span<const LinkOutcome> links, TimePs time_ps) {
  constexpr double kMaxTrace = 0.001;
  for (std::size_t l = 0; l < links.size(); ++l) {
    if (share_of(links[l].sent_bytes, names.bits_per_s[l], time_ps) > 1 + kMaxTrace) return true;
  }
  return false;
}

/// Whether NICs have several ports. The first endpoint's are listed first.
bool has_several_ports(const LinkNames& names) {
  return names.src.size() > 1 && names.src[1] == names.src[0] && names.node_tiers[names.src[0]] == Tier::endpoint;
}

std::string name_of(const LinkNames& names, u32 link) {
  const u32 src = names.src[link];
  const bool only_port = names.node_tiers[src] == Tier::endpoint && !has_several_ports(names);
  const std::string port = only_port ? "" : fmt::format(" port {}", names.src_port[link]);
  return fmt::format("{}{} -> {}", names.node_names[src], port, names.node_names[names.dst[link]]);
}

/// Sums, and the longest queue of the first link that had it.
void add(LinkOutcome& sum, const LinkOutcome& link) {
  for_each_value(
      [](const auto& column, auto& all, const auto& one) {
        if (column.join == Join::sum) all += one;
      },
      sum, link);
  if (link.peak_queue_bytes <= sum.peak_queue_bytes) return;
  sum.peak_queue_bytes = link.peak_queue_bytes;
  sum.peak_queue_ps = link.peak_queue_ps;
}

/// The links for which `measure` is largest, those for which it is 0 left out.
std::vector<HotLink> hottest(const LinkNames& names, std::span<const LinkOutcome> links, TimePs time_ps,
                             const std::function<double(u32)>& measure) {
  std::vector<u32> order(links.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto before = [&](u32 a, u32 b) {
    const double of_a = measure(a), of_b = measure(b);
    return of_a != of_b ? of_a > of_b : a < b;
  };
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(kHotLinks, order.size()));
  std::partial_sort(order.begin(), end, order.end(), before);
  std::vector<HotLink> hot;
  for (auto link = order.begin(); link != end && measure(*link) > 0; ++link)
    hot.push_back(
        {name_of(names, *link), use_of(links[*link].sent_bytes, names.bits_per_s[*link], time_ps), links[*link]});
  return hot;
}

/// How evenly links of a kind were used. Loads are bytes over bits a second.
LinkBalance balance_of_kind(const LinkNames& names, std::span<const LinkOutcome> links, std::span<const u32> of_kind,
                            TimePs time_ps) {
  std::vector<double> loads;
  for (const u32 l : of_kind)
    loads.push_back(static_cast<double>(links[l].sent_bytes) /
                    static_cast<double>(std::max<u64>(names.bits_per_s[l], 1)));
  LinkBalance balance = balance_of(std::move(loads));
  for (double& load : balance.loads) load = time_ps > 0 ? std::min(1.0, load * 8e12 / static_cast<double>(time_ps)) : 0;
  return balance;
}

void add_flows(std::span<const RoutedFlows> routed, std::span<const u32> of_kind, LinkKind& kind) {
  if (routed.empty()) return;
  RoutedFlows sum;
  for (const u32 l : of_kind) {
    sum.qps += routed[l].qps;
    sum.messages += routed[l].messages;
    kind.max_qps = std::max(kind.max_qps, routed[l].qps);
    kind.max_messages = std::max(kind.max_messages, routed[l].messages);
  }
  kind.mean_qps = static_cast<double>(sum.qps) / static_cast<double>(of_kind.size());
  kind.mean_messages = static_cast<double>(sum.messages) / static_cast<double>(of_kind.size());
}

LinkKind kind_of(const LinkNames& names, std::span<const LinkOutcome> links, std::span<const u32> of_kind,
                 TimePs time_ps) {
  LinkKind kind;
  double uses = 0;
  for (const u32 l : of_kind) {
    const LinkOutcome& link = links[l];
    ++kind.links;
    add(kind.sum, link);
    const double use = use_of(link.sent_bytes, names.bits_per_s[l], time_ps);
    uses += use;
    kind.max_use = std::max(kind.max_use, use);
    kind.max_paused_ps = std::max(kind.max_paused_ps, link.paused_ps);
  }
  kind.mean_use = of_kind.empty() ? 0 : uses / static_cast<double>(of_kind.size());
  kind.balance = balance_of_kind(names, links, of_kind, time_ps);
  return kind;
}

}  // namespace

LinksByKind links_by_kind(const LinkNames& names, std::size_t links) {
  LinksByKind kinds;
  const bool several = has_several_ports(names);
  for (u32 l = 0; l < links; ++l) {
    LinkKindKey key{names.node_tiers[names.src[l]], names.node_tiers[names.dst[l]], {}};
    if (several && key.src == Tier::endpoint) key.nic_port = names.src_port[l];
    if (several && key.dst == Tier::endpoint) key.nic_port = names.dst_port[l];
    kinds[key].push_back(l);
  }
  return kinds;
}

std::string kind_name(const LinkNames& names, const LinkKindKey& key) {
  const auto name = [&](Tier tier) {
    const auto found = names.tier_names.find(static_cast<u64>(tier));
    const std::string port = tier == Tier::endpoint && key.nic_port ? fmt::format(".{}", *key.nic_port) : "";
    return (found == names.tier_names.end() ? fmt::format("tier{}", static_cast<u32>(tier)) : found->second) + port;
  };
  return fmt::format("{}>{}", name(key.src), name(key.dst));
}

LinkNames link_names(const World& world, TimePs end_ps) {
  const Fabric& fabric = world.fabric;
  LinkNames names;
  for (NodeId n = 0; n < fabric.nodes.size(); ++n) {
    names.node_names.push_back(n < fabric.names.size() ? fabric.names[n] : fmt::format("node{}", n));
    names.node_tiers.push_back(fabric.nodes[n].tier);
  }
  for (u32 tier = 0; tier < fabric.tiers.size(); ++tier) names.tier_names[tier] = fabric.tiers[tier].name;
  for (const Link& link : fabric.links) {
    names.src.push_back(link.src);
    names.dst.push_back(link.dst);
    names.src_port.push_back(link.src_port);
    names.dst_port.push_back(link.dst_port);
  }
  names.bits_per_s = mean_bits_per_s(world, end_ps);
  return names;
}

LinkSummary summarize_links(const LinkNames& names, std::span<const LinkOutcome> links, TimePs end_ps, bool stalled,
                            std::span<const RoutedFlows> routed) {
  LinkSummary summary;
  summary.use_known = end_ps > 0 && !stalled && !sent_later(names, links, end_ps);
  const TimePs time_ps = summary.use_known ? end_ps : 0;
  summary.flows_known = !routed.empty();
  for (const auto& [key, of_kind] : links_by_kind(names, links.size())) {
    LinkKind kind = kind_of(names, links, of_kind, time_ps);
    kind.name = kind_name(names, key);
    kind.between_switches = key.src != Tier::endpoint && key.dst != Tier::endpoint;
    add_flows(routed, of_kind, kind);
    summary.kinds.push_back(std::move(kind));
  }
  const auto by = [&](const auto& measure) { return hottest(names, links, time_ps, measure); };
  // Compare bytes, not the share: the share is cut at 1, so equal shares need not mean equal bytes.
  summary.busiest = by([&](u32 l) {
    return static_cast<double>(links[l].sent_bytes) / static_cast<double>(std::max<u64>(names.bits_per_s[l], 1));
  });
  summary.longest_paused = by([&](u32 l) { return static_cast<double>(links[l].paused_ps); });
  summary.longest_queues = by([&](u32 l) { return static_cast<double>(links[l].peak_queue_bytes); });
  return summary;
}

}  // namespace heddle
