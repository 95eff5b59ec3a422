// Switches that send packets of one flow by different next hops, so that they overtake each other.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// [0: the first fabric, i + 1: Fabric::others[i]] whether data of queue pairs travel there by this transport.
std::vector<bool> fabrics_with(const World& world, Transport transport);

struct SprayingSwitch {
  NodeId at = kNone;
  std::string policy;
  explicit operator bool() const { return at != kNone; }
};

/// The first switch of these fabrics with a choice of next hops whose policy reorders packets.
SprayingSwitch first_spraying_switch(const World& world, const std::vector<bool>& fabrics);

}  // namespace heddle
