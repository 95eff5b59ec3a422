// How the flows of a World spread over equal next hops: polarisation, before anything runs.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Of all switches of a tier that choose among several next hops, on average. `even`: with a hash for which every flow
/// draws anew at every switch, for just as many flows.
struct TierSpread {
  Tier tier = Tier::rtsw;
  double flows = 0;                  // that a switch has to spread over one set of next hops
  double links = 0;                  // in such a set
  double used = 0, even_used = 0;    // of these, links that get any flow
  double equal = 0, even_equal = 0;  // links that would be worth the same if all were loaded alike: 1 / sum of
                                     // squared shares
  double used_share() const { return even_used == 0 ? 1 : used / even_used; }
};

/// By tier; only those whose policies hash flows, and at which some flow has a choice.
/// Many flows are sampled.
std::vector<TierSpread> flow_spread(const World& world);

/// A line for the report: "" where there is nothing to say.
std::string spread_text(const std::vector<TierSpread>& spread);

/// A warning for each tier that uses far fewer links than it could.
std::vector<std::string> polarisation_warnings(const World& world, const std::vector<TierSpread>& spread);

}  // namespace heddle
