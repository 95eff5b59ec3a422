#include "host/check/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "host/base/quantity_text.hpp"
#include "host/check/collective_text.hpp"
#include "host/check/errors/ring_slots.hpp"
#include "host/check/errors/routes.hpp"
#include "host/check/errors/up_down.hpp"
#include "host/check/estimates/crossings.hpp"
#include "host/check/plan_text.hpp"
#include "host/check/requests_text.hpp"
#include "host/check/training_text.hpp"
#include "host/check/warnings/flow_spread.hpp"
#include "host/check/warnings/loss_text.hpp"
#include "host/check/warnings/outages.hpp"
#include "host/check/warnings/warnings.hpp"
#include "host/scenario/topology/clocks.hpp"
#include "host/scenario/topology/headroom.hpp"
#include "host/scenario/topology/link_types.hpp"
#include "host/scenario/topology/topology.hpp"
#include "kernels/base/units.hpp"
#include "kernels/instantiate/instantiate.hpp"
#include "kernels/world/fabric_of.hpp"
#include "kernels/world/fabric_parameters.hpp"

namespace heddle {
namespace {

std::string clocks_text(const World& world) {
  const Clocks& c = world.clocks;
  return fmt::format("tick       {} (bound: {})\nslot       {}; epoch {}; horizon {}\n", time_text(c.tick_ps),
                     describe(tick_bound(world), world), time_text(TimePs{1} << c.slot_log2_ps), time_text(c.epoch_ps),
                     c.horizon_ps >= kNever ? "none" : time_text(c.horizon_ps));
}

/// "fabric     frontend: endpoints 64 to 95, the last 8 storage servers; 6 switches", a line for each beside the first.
std::string others_text(const World& world) {
  const Fabric& f = world.fabric;
  std::string text;
  for (size_t i = 0; i < f.others.size(); ++i) {
    const OtherFabric& other = f.others[i];
    const auto switches = std::count_if(f.nodes.begin() + f.endpoints, f.nodes.end(),
                                        [&](const Node& node) { return fabric_of_tier(f, node.tier) == i + 1; });
    const std::string storage =
        other.storage_hosts == 0 ? "" : fmt::format(", the last {} of them storage servers", other.storage_hosts);
    text += fmt::format("fabric     {}: endpoints {} to {}{}; {}\n", other.name, other.first,
                        other.first + other.endpoints - 1, storage,
                        switches == 1 ? "1 switch" : fmt::format("{} switches", switches));
  }
  return text;
}

std::string sizes_text(const World& world) {
  const Fabric& f = world.fabric;
  std::vector<u64> nodes(f.tiers.size(), 0);  // [Tier]
  for (const Node& n : f.nodes) ++nodes[static_cast<u32>(n.tier)];
  std::string switches;
  for (u32 tier = 1; tier < f.tiers.size(); ++tier)
    switches += fmt::format("{}{} {}", switches.empty() ? "" : ", ", f.tiers[tier].title, nodes[tier]);
  std::string text = fmt::format("endpoints  {}{}; switches {} ({}); directed links {}\n", f.endpoints,
                                 f.nic_ports == 1 ? "" : fmt::format(", each with a NIC of {} ports", f.nic_ports),
                                 f.nodes.size() - f.endpoints, switches, f.links.size()) +
                     others_text(world);
  const auto waiting = std::ranges::count_if(world.traffic.messages, [](const Message& m) { return m.waits_for != 0; });
  const std::string of_these = waiting == 0 ? "" : fmt::format(" ({} wait for others or for programs)", waiting);
  text += fmt::format("traffic    {} QPs, {} messages{}, {} jobs, {} communicators, {} collectives, {} connections\n",
                      count_qps(world), world.traffic.messages.size(), of_these, gpus_by_job(world).size(),
                      world.collectives.jobs.size(), world.collectives.collectives.size(),
                      count_connections(world.collectives)) +
          requests_text(world);
  if (const std::string numbers = about_imported_numbers(f); !numbers.empty()) {
    text +=
        fmt::format("numbers    {}; flow files give node ids, [[message]] and all other sections endpoints\n", numbers);
  }
  return text;
}

std::string link_table(const World& world) {
  const auto name_of = [&](const Link& l) {
    return fmt::format("{} -> {}", tier_of(world.fabric, l.src).title, tier_of(world.fabric, l.dst).title);
  };
  const std::vector<LinkType> types = link_types_of(world);
  size_t width = 22;
  for (const LinkType& type : types) width = std::max(width, name_of(world.fabric.links[type.example]).size());
  std::string text = fmt::format("\n{:<{}} {:>8} {:>10} {:>10} {:>10} {:>12} {:>12} {:>12}\n", "links", width, "count",
                                 "rate", "lambda", "phi", "XOFF", "headroom", "needed");
  for (const LinkType& type : types) {
    const Link& l = world.fabric.links[type.example];
    std::string xoff = "-", headroom = "-", needed = "-";
    if (l.ingress != kNone) {
      const IngressProfile& p = world.fabric.ingress[l.ingress];
      xoff = p.dynamic ? fmt::format("{:.3g} * free", p.alpha_q16 / 65536.0) : bytes_text(p.xoff_bytes);
      headroom = bytes_text(p.headroom_bytes);
      needed = bytes_text(type.needed_headroom_bytes);
    }
    text += fmt::format("{:<{}} {:>8} {:>10} {:>10} {:>10} {:>12} {:>12} {:>12}\n", name_of(l), width, type.links,
                        rate_text(bits_per_s_of(l.ps_per_byte_q16)), time_text(l.lambda_ps), time_text(l.phi_ps), xoff,
                        headroom, needed);
  }
  return text;
}

/// Checks the routes that failures leave.
void check_later_routes(const World& world, CheckReport& report) {
  if (!world.routing.rows_change()) return;
  if (world.routing.detour_class != 0) {
    report.text +=
        "           with cables down a detour may be followed by a way through one more group, and then PFC can "
        "deadlock; "
        "this is not checked\n";
    return;
  }
  const LaterRoutes later = later_routes(world);
  if (!later.warning.empty()) {
    report.warnings.push_back(later.warning);
  } else {
    report.text += fmt::format(
        "           {} PFC cannot deadlock with {} of routes{}. Packets routed by one set and by the next "
        "may still wait for each other; this is not checked\n",
        differs_at_start(world) ? "with cables down" : "after failures",
        later.looked_at == 1 ? "the one other set" : fmt::format("any single one of {} other sets", later.looked_at),
        later.all ? "" : " (the first ones; later ones are not checked)");
  }
}

/// Checks all equal next hops, whatever the policies choose.
void check_routes(const World& world, CheckReport& report) {
  const char* const always = differs_at_start(world)       ? " with all cables up"
                             : world.routing.rows_change() ? " before anything fails"
                                                           : "";
  report.text += fmt::format("routes     no loops, no dead ends{}\n", always);
  const std::string flow = down_and_up(world);
  const bool detours = world.routing.detour_class != 0;
  if (detours) {
    report.text +=
        "           detours lead through a third group; from there on packets travel in class detour, a copy of class "
        "lossless, so that detours close no cycle. Switches keep room for both classes, so each has less\n";
  }
  if (flow.empty()) {
    report.text += fmt::format("           {} up-down: no cycle of buffer dependencies, so PFC cannot deadlock{}\n",
                               detours ? "all else is" : "routing is", always);
    return;
  }
  report.text += fmt::format(
      "           routing is not up-down: packets may go up, or within a tier, where they should only go down, {}\n",
      flow);
  const std::string cycle = buffer_dependency_cycle(world);
  if (cycle.empty()) {
    report.text +=
        fmt::format("           no cycle of buffer dependencies all the same, so PFC cannot deadlock{}\n", always);
    return;
  }
  report.warnings.push_back("cycle of buffer dependencies: with PFC these links can wait for each other for ever: " +
                            cycle + "; " + advice_against_deadlock(world));
}

/// Reports how flows spread, and what a controller plans.
void check_flows(const World& world, CheckReport& report) {
  const std::vector<TierSpread> spread = flow_spread(world);
  report.text += spread_text(world, spread) + plan_text(world);
  for (const auto& warnings : {polarisation_warnings(world, spread), plan_warnings(world)})
    report.warnings.insert(report.warnings.end(), warnings.begin(), warnings.end());
}

}  // namespace

std::vector<std::string> refusals_of(const World& world) {
  std::vector<std::string> refusals = routing_problems(world);
  if (world.traffic.messages.empty() && world.collectives.collectives.empty()) {
    refusals.push_back(
        "nothing to simulate: no [[message]], [[generator]], [[job]] with [[job.collective]], or workload.flow_file");
  }
  for (std::string& problem : ring_slot_problems(world)) refusals.push_back(std::move(problem));
  try {
    check_limits(world);
  } catch (const std::invalid_argument& limit) {
    refusals.emplace_back(limit.what());
  }
  return refusals;
}

CheckReport check_world(const World& world, std::span<const JobOptions> jobs) {
  CheckReport report;
  report.refusals = refusals_of(world);
  report.text = clocks_text(world) + sizes_text(world);
  if (report.refusals.empty()) {
    check_routes(world, report);
    check_later_routes(world, report);
    check_flows(world, report);
  }
  report.text += outages_text(world) + loss_text(world) + link_table(world) + training_text(world) +
                 crossings_text(world) + collective_text(world, jobs);
  for (std::string& warning : warnings_of(world)) report.warnings.push_back(std::move(warning));
  return report;
}

}  // namespace heddle
