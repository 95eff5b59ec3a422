#include "host/check/warnings/unused_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <span>
#include <utility>

#include "host/scenario/topology/link_types.hpp"
#include "kernels/routing/downlinks.hpp"
#include "kernels/routing/policy_info.hpp"
#include "kernels/world/fabric_of.hpp"

namespace heddle {
namespace {

/// For each group of destinations in turn: which of their downlinks' packets reach which switch, from the switches of
/// all other groups. A bit for each downlink.
class PinnedPaths {
 public:
  explicit PinnedPaths(const World& world)
      : world_(world),
        groups_by_switch_(groups_by_switch(world)),
        spines_(spines_of_groups(world)),
        ports_(world.routing.ports_of_groups(world.fabric.nic_ports)),
        on_shortest_path_(world.fabric.links.size(), false),
        taken_(world.fabric.links.size(), false) {
    const std::vector<u32> downlinks = downlinks_of(world);
    words_ = downlinks.empty() ? 1 : std::ranges::max(downlinks) / 64 + 1;
    of_group_.resize(u64{world.routing.table.groups} * words_, 0);
    for (u32 a = 0; a < downlinks.size(); ++a)
      of_group_[world.routing.group_of[a] * words_ + downlinks[a] / 64] |= u64{1} << downlinks[a] % 64;
    for (NodeId s = world.fabric.endpoints; s < world.fabric.nodes.size(); ++s)
      by_downlink_.push_back(policy_at(world, s).by_downlink);
    came_.resize(by_downlink_.size() * words_);
    waiting_.resize(by_downlink_.size() * words_);
    state_.resize(by_downlink_.size());
  }

  void follow(u32 group) {
    std::ranges::fill(came_, 0);
    std::ranges::fill(waiting_, 0);
    std::ranges::fill(state_, State::untouched);
    for (NodeId s = world_.fabric.endpoints; s < world_.fabric.nodes.size(); ++s) {
      const u32 own = groups_by_switch_[s];
      if (own != kNone && own != group && (ports_[own] & ports_[group]) != 0)
        arrive(s, std::span(of_group_).subspan(u64{group} * words_, words_));
    }
    for (; !queue_.empty(); queue_.pop_front()) leave(queue_.front(), group);
  }

  std::vector<LinkId> unused() const {
    std::vector<LinkId> links;
    for (LinkId l = 0; l < taken_.size(); ++l) {
      if (on_shortest_path_[l] && !taken_[l]) links.push_back(l);
    }
    return links;
  }

  /// Whether the link is among those that unused() chooses from.
  bool on_shortest_path(LinkId link) const { return on_shortest_path_[link]; }

 private:
  enum class State : u8 { untouched, queued, left };

  u64 first_word(NodeId s) const { return u64{s - world_.fabric.endpoints} * words_; }

  /// Queues the `downlinks` that are new to switch `s`. A switch is visited once even without any, as its links are on
  /// shortest paths all the same.
  void arrive(NodeId s, std::span<const u64> downlinks) {
    bool more = false;
    for (u64 w = 0; w < words_; ++w) {
      const u64 fresh = downlinks[w] & ~came_[first_word(s) + w];
      came_[first_word(s) + w] |= fresh;
      waiting_[first_word(s) + w] |= fresh;
      more = more || fresh != 0;
    }
    State& state = state_[s - world_.fabric.endpoints];
    if (state == State::queued || (state == State::left && !more)) return;
    state = State::queued;
    queue_.push_back(s);
  }

  void leave(NodeId s, u32 group) {
    const std::span<const u16> hops = world_.routing.next_hops(s, group);
    state_[s - world_.fabric.endpoints] = State::left;
    divide(s, group, hops);
    for (u64 i = 0; i < hops.size(); ++i) {
      const LinkId link = world_.fabric.nodes[s].first_link + hops[i];
      const std::span<const u64> downlinks = std::span(by_hop_).subspan(i * words_, words_);
      on_shortest_path_[link] = true;
      if (std::ranges::any_of(downlinks, [](u64 word) { return word != 0; })) taken_[link] = true;
      const NodeId next = world_.fabric.links[link].dst;
      if (groups_by_switch_[next] != group) arrive(next, downlinks);
    }
  }

  /// Fills by_hop_ with the downlinks waiting at switch `s`: all for each next hop, or by downlink (MODEL.md, 7.10).
  void divide(NodeId s, u32 group, std::span<const u16> hops) {
    const std::span<u64> waiting = std::span(waiting_).subspan(first_word(s), words_);
    by_hop_.assign(hops.size() * words_, 0);
    if (hops.empty()) return;
    const LinkId first = world_.fabric.nodes[s].first_link + hops[0];
    const u32 divisor = rack_below_link(world_, first, groups_by_switch_) == group ? spines_[group] : 1;
    for (u64 w = 0; w < words_; ++w) {
      const u64 all = std::exchange(waiting[w], 0);
      if (!by_downlink_[s - world_.fabric.endpoints]) {
        for (u64 i = 0; i < hops.size(); ++i) by_hop_[i * words_ + w] = all;
        continue;
      }
      for (u64 left = all; left != 0; left &= left - 1) {
        const u64 d = w * 64 + static_cast<u64>(std::countr_zero(left));
        by_hop_[d / divisor % hops.size() * words_ + w] |= left & -left;
      }
    }
  }

  const World& world_;
  std::vector<u32> groups_by_switch_, spines_, ports_;
  u64 words_ = 1;
  std::vector<u64> of_group_;           // [group] its downlinks
  std::vector<bool> by_downlink_;       // [switch]
  std::vector<u64> came_, waiting_;     // [switch] downlinks; waiting: those that have not left yet
  std::vector<State> state_;            // [switch]
  std::deque<NodeId> queue_;            // switches at which downlinks wait
  std::vector<u64> by_hop_;             // [next hop] downlinks whose packets leave a switch by it
  std::vector<bool> on_shortest_path_;  // [link]
  std::vector<bool> taken_;             // [link]
};

PinnedPaths follow_all(const World& world) {
  PinnedPaths paths(world);
  for (u32 group = 0; group < world.routing.table.groups; ++group) paths.follow(group);
  return paths;
}

/// The second tier of switches of the fabric that a link belongs to, as their choice decides what is left for the
/// third.
const TierInfo& second_tier_beside(const Fabric& fabric, LinkId link) {
  const Tier tier = std::max(fabric.nodes[fabric.links[link].src].tier, fabric.nodes[fabric.links[link].dst].tier);
  const u32 number = fabric_of_tier(fabric, tier);
  const size_t first = number == 0 ? 1 : static_cast<size_t>(fabric.others[number - 1].first_tier);
  return fabric.tiers[std::min(first + 1, fabric.tiers.size() - 1)];
}

}  // namespace

std::vector<LinkId> links_no_flow_can_take(const World& world) {
  return any_policy(world, &PolicyInfo::by_downlink) ? follow_all(world).unused() : std::vector<LinkId>();
}

std::string warning_of_unused_links(const World& world) {
  if (!any_policy(world, &PolicyInfo::by_downlink)) return {};
  const PinnedPaths paths = follow_all(world);
  const std::vector<LinkId> unused = paths.unused();
  if (unused.empty()) return {};
  const Fabric& f = world.fabric;
  struct Between {
    u64 links = 0, unused = 0;
    LinkId example = kNone;
  };
  std::map<std::pair<Tier, Tier>, Between> tiers;
  const auto between = [&](LinkId l) -> Between& {
    return tiers[{f.nodes[f.links[l].src].tier, f.nodes[f.links[l].dst].tier}];
  };
  for (LinkId l = 0; l < f.links.size(); ++l) between(l).links += paths.on_shortest_path(l);
  for (const LinkId l : unused) {
    Between& b = between(l);
    if (b.unused++ == 0) b.example = l;
  }
  std::string list;
  for (const auto& [ends, b] : tiers) {
    if (b.unused == 0) continue;
    list += fmt::format("{}{} of {} {} -> {} links (e.g. {})", list.empty() ? "" : ", ", b.unused, b.links,
                        tier_of(f, ends.first).title, tier_of(f, ends.second).title, link_name(f, b.example));
  }
  return fmt::format(
      "routing policy path_pinning: no packet can take {}. A switch with n next hops takes one by the destination's "
      "place in its rack, modulo n, so links stay idle where racks have fewer GPUs than n, or where the switches "
      "before have sent it only some of these places; the fabric has less bandwidth than its links add up to. Give a "
      "rack as many uplinks as GPUs{}, or choose another policy, for all switches or for one tier (routing.policy, {} "
      "= "
      "\"e_ecmp\")",
      list, f.others.empty() && f.tiers[1].name == "rtsw" ? " (topology.uplinks_per_rtsw, topology.gpus_per_rack)" : "",
      second_tier_beside(f, unused[0]).policy_key);
}

}  // namespace heddle
