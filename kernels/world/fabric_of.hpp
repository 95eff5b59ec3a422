// To which of a world's fabrics a tier of switches belongs.
#pragma once

#include "kernels/world/fabric.hpp"

namespace heddle {

/// 0: the first fabric; i + 1: Fabric::others[i]. The tier of endpoints is that of all.
inline u32 fabric_of_tier(const Fabric& fabric, Tier tier) {
  u32 number = 0;
  while (number < fabric.others.size() && tier >= fabric.others[number].first_tier) ++number;
  return number;
}

}  // namespace heddle
