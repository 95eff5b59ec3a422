// Queues that are paused and do not move: a cycle among them is a deadlock, else it is a pause storm (README, section
// 6).
#pragma once

#include <string>
#include <vector>

#include "kernels/expand.hpp"

namespace heddle {

struct StuckReport {
  std::vector<u32> stuck;  // local links whose lossless queue has been paused and waiting since `paused_before_ps`
  std::vector<u32> cycle;  // of them, each waiting for the next, the last for the first; empty: no deadlock
};

/// Looks at the host's copy of the state. A queue is stuck when it holds packets and its pause began at or before
/// `paused_before_ps`, so that nothing has left it since.
StuckReport find_stuck(const Model& model, TimePs paused_before_ps);

}  // namespace heddle
