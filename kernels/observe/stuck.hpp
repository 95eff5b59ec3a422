// Queues that are paused and do not move: a cycle among them is a deadlock, else it is a pause storm (MODEL.md, 6.8).
#pragma once

#include <span>
#include <vector>

#include "kernels/observe/stuck_queue.hpp"
#include "kernels/state/model.hpp"

namespace heddle {

/// The stuck queues of this part, by link. Looks at the host's copy of the state. A queue is stuck when it holds
/// packets and its pause began at or before `paused_before_ps`, so that nothing has left it since.
std::vector<StuckQueue> find_stuck(const Model& model, TimePs paused_before_ps);

/// Links of stuck queues each of which waits for the next, the last for the first; empty: there is no deadlock. `stuck`
/// holds the queues of all parts, by link.
std::vector<u32> find_cycle(std::span<const StuckQueue> stuck);

}  // namespace heddle
