#include "partition/cut/exchange_period.hpp"

#include <stdexcept>
#include <string>

#include "kernels/outcome/failed_qp.hpp"

namespace heddle {
namespace {

void bound_by_links(const Fabric& fabric, std::span<const u32> rank_of_node, ExchangePeriod& out) {
  for (LinkId l = 0; l < fabric.links.size(); ++l) {
    const Link& link = fabric.links[l];
    if (rank_of_node[link.src] == rank_of_node[link.dst]) continue;
    if (link.lambda_ps < out.latency_ps) out = {.latency_ps = link.lambda_ps, .link = l};
    if (!carries_pauses(fabric, link)) continue;
    if (link.phi_ps < out.latency_ps) out = {.latency_ps = link.phi_ps, .link = l, .pause = true};
  }
}

/// Whole ticks if one fits. A tick is at most every latency and the epoch, so half of it nearly always fits.
TimePs nested_in_ticks(TimePs longest_ps, TimePs tick_ps) {
  if (longest_ps >= tick_ps) return longest_ps / tick_ps * tick_ps;
  return tick_ps % 2 == 0 && tick_ps / 2 <= longest_ps ? tick_ps / 2 : longest_ps;
}

[[noreturn]] void refuse_tiny(const World& world, const ExchangePeriod& period) {
  const Link& link = world.fabric.links[period.link];
  throw std::invalid_argument(
      "partition: ranks exchange at least twice per latency of a cut link, and the link from node " +
      std::to_string(link.src) + " to node " + std::to_string(link.dst) +
      ", which this division cuts, with a latency of " + std::to_string(period.latency_ps) +
      " ps leaves less than 1 ps; give it a real latency, or use fewer ranks");
}

}  // namespace

ExchangePeriod exchange_period(const World& world, std::span<const u32> rank_of_node) {
  ExchangePeriod out;
  bound_by_links(world.fabric, rank_of_node, out);
  const TimePs notice_ps = failure_notice_ps(world.clocks.epoch_ps);
  if (notice_ps < out.latency_ps) out = {};
  const TimePs longest_ps = (out.link == kNone ? notice_ps : out.latency_ps) / 2;
  if (longest_ps < 1) refuse_tiny(world, out);
  out.period_ps = nested_in_ticks(longest_ps, world.clocks.tick_ps);
  return out;
}

}  // namespace heddle
