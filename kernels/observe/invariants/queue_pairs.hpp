// Invariants of queue pairs: PSNs, ready sets, timers, congestion control, CTSs.
#pragma once

#include <string>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// The first queue pair for which not una <= next <= sent end, or whose congestion control finds its state wrong; or
/// the first NIC whose sets (ready, timed, unacknowledged data or CTSs) do not count what they hold.
std::string check_queue_pairs(const Reading& r);

}  // namespace heddle
