// Queues that are paused and do not move: a cycle among them is a deadlock, else it is a pause storm (MODEL.md, 6.8).
#pragma once

#include <span>
#include <vector>

#include "kernels/observe/stuck_queue.hpp"
#include "kernels/state/model.hpp"

namespace heddle {

/// The stuck ports of this part (stuck_ports.hpp), ascending, from the host's copy of the state. A queue is stuck when
/// it holds packets and its pause began at or before `paused_before_ps`, so that nothing has left it since.
std::vector<u64> stuck_ports(const View& v, TimePs paused_before_ps);

/// The stuck queues of this part, by number, from its stuck ports.
std::vector<StuckQueue> stuck_queues(const Model& model, std::span<const u64> ports);

/// Numbers of stuck queues each of which waits for the next, the last for the first; empty when there is no deadlock.
/// `stuck` holds the queues of all parts, by number.
std::vector<u32> find_cycle(std::span<const StuckQueue> stuck);

}  // namespace heddle
