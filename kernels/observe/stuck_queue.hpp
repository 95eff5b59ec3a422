// What one part of a World says of a queue that does not move.
#pragma once

#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// A switch's egress whose lossless queue has been paused and waiting for long. Links by their numbers in the World.
struct StuckQueue {
  u32 link = kNone;
  std::vector<u32> holds_from;  // links by which packets of the queue came in: their egresses wait for this one
};

}  // namespace heddle
