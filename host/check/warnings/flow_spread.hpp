// How the flows of a World spread over equal next hops: hash polarisation, before a run.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// The mean over all switches of a tier that choose among several next hops. `even`: with an ideal hash, by which every
/// flow draws anew at every switch, for as many flows.
struct TierSpread {
  Tier tier = Tier::endpoint;
  double flows = 0;                  // flows that a switch spreads over one set of next hops
  double links = 0;                  // links in such a set
  double used = 0, even_used = 0;    // links in the set with at least one flow
  double equal = 0, even_equal = 0;  // number of evenly loaded links worth the same: 1 / sum of squared shares
  double used_share() const { return even_used == 0 ? 1 : used / even_used; }
};

/// The spread by tier; only tiers whose policies hash flows, and where some flow has a choice. Many flows are sampled.
std::vector<TierSpread> flow_spread(const World& world);

/// A line for the report; "" when there is none to report.
std::string spread_text(const World& world, const std::vector<TierSpread>& spread);

/// A warning for each tier that uses far fewer links than it could.
std::vector<std::string> polarisation_warnings(const World& world, const std::vector<TierSpread>& spread);

}  // namespace heddle
