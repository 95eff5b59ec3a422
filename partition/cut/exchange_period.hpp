// How often ranks must exchange.
#pragma once

#include <span>

#include "kernels/world/world.hpp"

namespace heddle {

/// The longest period that a division allows, by the rule of partition/exchange (README.md there): at most half of
/// every lambda and phi of a cut link, and at most half of the epochs from a failure to the end (failed_qp.hpp). NVLink
/// and host cables are never cut.
struct ExchangePeriod {
  TimePs period_ps = 0;        // a multiple of the tick; where none is short enough, half a tick
  TimePs latency_ps = kNever;  // least over the cut links; kNever: nothing is cut, or the bound from epochs is tighter
  LinkId link = kNone;         // the first cut link with this latency
  bool pause = false;          // phi of the link, not lambda
};

/// `rank_of_node` has one rank per node. Throws std::invalid_argument when the period would be below a picosecond: a
/// cut link of 1 ps.
ExchangePeriod exchange_period(const World& world, std::span<const u32> rank_of_node);

}  // namespace heddle
