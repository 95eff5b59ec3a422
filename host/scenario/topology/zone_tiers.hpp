// The tiers of zones, which the star and imported fabrics have, too.
#pragma once

#include <vector>

#include "kernels/world/tiers.hpp"

namespace heddle {

inline constexpr Tier kRtsw{1}, kCtsw{2}, kAtsw{3};

/// Fabric::tiers of such a topology, whether or not it has switches of each.
inline std::vector<TierInfo> zone_tiers() {
  return {{"endpoint", "endpoint", "endpoints", "slow_receiver", ""},
          {"rtsw", "RTSW", "RTSWs", "buffer.rtsw", "routing.rtsw"},
          {"ctsw", "CTSW", "CTSWs", "buffer.ctsw", "routing.ctsw"},
          {"atsw", "ATSW", "ATSWs", "buffer.atsw", "routing.atsw"}};
}

}  // namespace heddle
