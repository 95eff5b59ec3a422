#include "host/scenario/controller/cspf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/base/error.hpp"
#include "kernels/base/units.hpp"
#include "kernels/routing/policy_info.hpp"

namespace heddle {
namespace {

/// Time of `bytes` on a link, rounded down; exact up to 2^59 bytes.
u64 busy_ps(u64 bytes, const Link& link) {
  const u64 speed = speed_of(link.ps_per_byte_q16);
  return (bytes >> 16) * speed + ((bytes & 0xffff) * speed >> 16);
}

/// Utilisations along a path, compared by the largest, then by the sum.
struct Utilisation {
  u64 max_ps = 0, sum_ps = 0;

  bool less_than(const Utilisation& other) const {
    return max_ps != other.max_ps ? max_ps < other.max_ps : sum_ps < other.sum_ps;
  }
  Utilisation with(u64 link_ps) const { return {std::max(max_ps, link_ps), sum_ps + link_ps}; }
};

/// One hop: packets that arrive at a switch by the port of egress link `own` leave by `out`.
struct Step {
  LinkId own, out;
};

class Cspf {
 public:
  /// Uses the next hops that switches have at `t`.
  Cspf(const World& world, TimePs t)
      : world_(world), t_(t), bytes_(world.fabric.links.size(), 0), goals_(world.routing.switches_of_groups()) {
    const Routing& r = world.routing;
    for (u32 tier = 0; tier < kMaxTiers; ++tier) plans_[tier] = policy_named(r.policy[tier]).by_controller;
  }

  /// Places the demand on its best path; returns the path's utilisation.
  Utilisation place(const RackDemand& demand) {
    const Fabric& f = world_.fabric;
    const Link& nic = f.links[f.nodes[demand.src].first_link];
    demand_ = &demand;
    found_ = only_dead_ends_ = false;
    search(nic.dst, nic.reverse, {});
    for (const Step& step : best_path_) {
      bytes_[step.out] += demand.bytes;
      entries_.try_emplace(key(step.own, demand.group), step.out);
    }
    return best_;
  }

  /// [link] planned transmission time.
  std::vector<u64> all_busy_ps() const {
    std::vector<u64> all(bytes_.size());
    for (LinkId l = 0; l < all.size(); ++l) all[l] = busy_ps(bytes_[l], world_.fabric.links[l]);
    return all;
  }

  /// The entries, which apply from then on.
  RouteEntries entries() const {
    const Fabric& f = world_.fabric;
    std::vector<std::pair<u64, LinkId>> sorted(entries_.begin(), entries_.end());
    std::ranges::sort(sorted);
    RouteEntries all;
    all.from_ps = t_;
    all.first.assign(f.links.size() + 1, 0);
    for (const auto& [key, out] : sorted) {
      ++all.first[(key >> 32) + 1];
      all.entries.push_back({static_cast<u32>(key), out - f.nodes[f.links[out].src].first_link});
    }
    std::partial_sum(all.first.begin(), all.first.end(), all.first.begin());
    return all;
  }

 private:
  static u64 key(LinkId own, u32 group) { return u64{own} << 32 | group; }

  /// Searches depth first, in port order: the first of equally good paths wins.
  void search(NodeId at, LinkId own, Utilisation so_far) {
    const Routing& r = world_.routing;
    if (found_ && !so_far.less_than(best_)) return;
    const std::span<const u16> ports = r.next_hops(at, demand_->group, t_);
    const bool ends = at == goals_[demand_->group] || !plans_[static_cast<u32>(world_.fabric.nodes[at].tier)];
    if (ends || ports.empty()) return take(so_far, ends);
    const auto known = entries_.find(key(own, demand_->group));
    for (const u16 port : ports) {
      const LinkId out = world_.fabric.nodes[at].first_link + port;
      if (known != entries_.end() && known->second != out) continue;  // an earlier demand fixed another port
      const Link& link = world_.fabric.links[out];
      path_.push_back({own, out});
      search(link.dst, link.reverse, so_far.with(busy_ps(bytes_[out] + demand_->bytes, link)));
      path_.pop_back();
    }
  }

  /// Keeps a path that is the best so far, or a dead end while no path is known.
  void take(Utilisation utilisation, bool arrives) {
    if (!arrives && (found_ || (only_dead_ends_ && !utilisation.less_than(best_)))) return;
    best_ = utilisation;
    best_path_ = path_;
    found_ = arrives;
    only_dead_ends_ = !arrives;
  }

  const World& world_;
  const TimePs t_;
  std::vector<u64> bytes_;                   // [link]
  std::unordered_map<u64, LinkId> entries_;  // key -> egress link
  std::array<bool, kMaxTiers> plans_ = {};   // [tier]
  std::vector<NodeId> goals_;                // [group] its switch
  const RackDemand* demand_ = nullptr;
  std::vector<Step> path_, best_path_;
  Utilisation best_;
  bool found_ = false, only_dead_ends_ = false;
};

/// The time that the busiest NIC needs to send: all demands are to be met in that time.
u64 period_ps(std::span<const RackDemand> demands, const Fabric& fabric) {
  std::vector<u64> bytes(fabric.endpoints, 0);
  for (const RackDemand& d : demands) bytes[d.src] += d.bytes;
  u64 longest_ps = 0;
  for (EndpointId e = 0; e < fabric.endpoints; ++e) {
    if (bytes[e] != 0) longest_ps = std::max(longest_ps, busy_ps(bytes[e], fabric.links[fabric.nodes[e].first_link]));
  }
  return longest_ps;
}

/// More solutions than that would take minutes.
constexpr std::size_t kMaxSolutions = 1000;

/// The instants at which the controller solves again, as routes have changed since its last solution.
std::set<TimePs> later_instants(const Routing& routing, TimePs from_ps, TimePs period_ps) {
  std::set<TimePs> instants;
  for (const Routing::RowChange& change : routing.row_changes) {
    if (change.from_ps <= from_ps) continue;
    const TimePs after = change.from_ps - from_ps;
    instants.insert(period_ps == 0 ? change.from_ps : from_ps + (after + period_ps - 1) / period_ps * period_ps);
  }
  if (instants.size() <= kMaxSolutions) return instants;
  throw ConfigError(fmt::format(
      "routing.traffic_engineering.period: failures change the routes so often that the controller would have to solve "
      "{} times, but {} are the most; give a longer period, or fewer failures",
      instants.size(), kMaxSolutions));
}

std::vector<RackDemand> largest_first(std::span<const RackDemand> demands) {
  std::vector<RackDemand> sorted(demands.begin(), demands.end());
  std::ranges::stable_sort(sorted, std::greater(), &RackDemand::bytes);
  return sorted;
}

void check_size(std::span<const RackDemand> demands, const Fabric& fabric) {
  double bytes = 0, slowest = 0;
  for (const RackDemand& d : demands) bytes += static_cast<double>(d.bytes);
  for (const Link& link : fabric.links)
    slowest = std::max(slowest, static_cast<double>(speed_of(link.ps_per_byte_q16)) / 65536);
  if (bytes * slowest < 1e17) return;
  throw ConfigError(
      fmt::format("routing.policy = \"traffic_engineering\": demands of {:.3g} B in all would take a link of this "
                  "fabric more than a day, which cannot be planned; only their ratios count, so give smaller numbers",
                  bytes));
}

}  // namespace

void solve_traffic(std::span<const RackDemand> demands, TimePs from_ps, World& world) {
  check_size(demands, world.fabric);
  const std::vector<RackDemand> sorted = largest_first(demands);
  TrafficPlan plan;
  plan.period_ps = period_ps(demands, world.fabric);
  plan.demands = sorted.size();
  Cspf cspf(world, from_ps);
  for (const RackDemand& demand : sorted) plan.over_capacity += cspf.place(demand).max_ps > plan.period_ps;
  plan.busy_ps = cspf.all_busy_ps();
  world.routing.controller = {cspf.entries()};
  world.routing.plan = std::move(plan);
}

void solve_again(std::span<const RackDemand> demands, TimePs period_ps, World& world) {
  const std::vector<RackDemand> sorted = largest_first(demands);
  for (const TimePs t : later_instants(world.routing, world.routing.controller.back().from_ps, period_ps)) {
    Cspf cspf(world, t);
    for (const RackDemand& demand : sorted) cspf.place(demand);
    world.routing.controller.push_back(cspf.entries());
  }
}

}  // namespace heddle
