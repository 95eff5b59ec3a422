// To which of a world's fabrics something belongs. 0: the first fabric; i + 1: Fabric::others[i].
#pragma once

#include "kernels/world/fabric.hpp"

namespace heddle {

/// Of a tier of switches. The tier of endpoints is that of all.
inline u32 fabric_of_tier(const Fabric& fabric, Tier tier) {
  u32 number = 0;
  while (number < fabric.others.size() && tier >= fabric.others[number].first_tier) ++number;
  return number;
}

inline u32 fabric_of_endpoint(const Fabric& fabric, EndpointId endpoint) {
  u32 number = 0;
  while (number < fabric.others.size() && endpoint >= fabric.others[number].first) ++number;
  return number;
}

}  // namespace heddle
