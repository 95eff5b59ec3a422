#include "host/check/plan_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "host/base/quantity_text.hpp"
#include "host/scenario/controller/settings.hpp"
#include "host/scenario/topology/link_types.hpp"
#include "kernels/routing/policy_info.hpp"

namespace heddle {
namespace {

struct Utilised {
  double most = 0, sum = 0;
  u64 links = 0;
};

/// How what is measured and planned travels, if a network carries it.
std::string network_text(const World& world) {
  const ControlNetwork& control = world.routing.control;
  if (control.routes.empty()) return {};
  const Message& route = world.traffic.messages[control.routes.front()];
  return fmt::format(
      "           reports come to {}, {} times, and routes go from there to {} switches: each plan comes into force at "
      "the first multiple of {} after the last of them, more than {} after it was measured\n",
      world.fabric.names[world.traffic.qps[route.qp].src], control.periods, control.switches,
      time_text(control.commit_ps), time_text(control.solve_ps));
}

std::string measuring_text(const World& world) {
  const Routing& routing = world.routing;
  const u64 period_ps = static_cast<u64>(solution_period_ps(routing));
  return fmt::format(
             "controller measures what NICs send to racks, and solves for it every {} from {} on; for what it has not "
             "seen, switches do as ecmp\n",
             time_text(period_ps), time_text(first_solution_ps(routing))) +
         network_text(world);
}

std::vector<std::string> measuring_warnings(const Routing& routing) {
  constexpr TimePs kShortPs = 100'000'000;
  const TimePs period_ps = solution_period_ps(routing);
  if (period_ps >= kShortPs) return {};
  return {fmt::format(
      "routing.traffic_engineering.period of {}: for every solution the state is made anew, which takes milliseconds, "
      "in large fabrics seconds, so the run may take very long; give at least {}",
      time_text(period_ps), time_text(kShortPs))};
}

}  // namespace

std::string plan_text(const World& world) {
  if (demands_are_measured(world)) return measuring_text(world);
  const TrafficPlan& plan = world.routing.plan;
  if (plan.demands == 0) return {};
  std::map<std::pair<Tier, Tier>, Utilised> tiers;
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    const Link& link = world.fabric.links[l];
    if (link.src < world.fabric.endpoints || link.dst < world.fabric.endpoints) continue;
    const Node& from = world.fabric.nodes[link.src];
    if (!policy_at(world, link.src).by_controller) continue;
    const double share = static_cast<double>(plan.busy_ps[l]) / static_cast<double>(std::max<u64>(1, plan.period_ps));
    Utilised& u = tiers[{from.tier, world.fabric.nodes[link.dst].tier}];
    u.most = std::max(u.most, share);
    u.sum += share;
    ++u.links;
  }
  std::string text = fmt::format(
      "controller {} demands of a NIC to a rack, {} entries; planned utilisation while the "
      "busiest NIC sends its share ({}):\n",
      plan.demands, world.routing.controller.front().entries.size(), time_text(plan.period_ps));
  if (const TimePs from_ps = world.routing.controller.front().from_ps; from_ps > 0) {
    text += fmt::format("           its entries hold from {} on; until then switches do as ecmp\n", time_text(from_ps));
  }
  if (world.routing.controller.size() > 1)
    text += fmt::format("           solved again {} times, as failures change the routes\n",
                        world.routing.controller.size() - 1);
  for (const auto& [between, u] : tiers) {
    text += fmt::format("           {} -> {}: busiest link {:.1f} %, mean {:.1f} % of {} links\n",
                        tier_of(world.fabric, between.first).title, tier_of(world.fabric, between.second).title,
                        100 * u.most, 100 * u.sum / static_cast<double>(u.links), u.links);
  }
  return text;
}

std::vector<std::string> plan_warnings(const World& world) {
  if (demands_are_measured(world)) return measuring_warnings(world.routing);
  const TrafficPlan& plan = world.routing.plan;
  if (plan.demands > 0 && world.routing.controller.front().entries.empty()) {
    return {
        fmt::format("traffic engineering: the controller can plan nothing, as the switches where packets of NICs come "
                    "in have another policy, so all do as ecmp; set {}, or routing.policy for all",
                    world.fabric.tiers[1].policy_key)};
  }
  if (plan.over_capacity == 0) return {};
  return {fmt::format(
      "traffic engineering: for {} of {} demands no path has room left: with them some link carries more than the "
      "busiest NIC sends meanwhile ({}), so they will take longer; more uplinks or a smaller load would help",
      plan.over_capacity, plan.demands, time_text(plan.period_ps))};
}

}  // namespace heddle
