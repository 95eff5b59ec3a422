// Invariants of queue pairs: PSNs, ready sets, timers, congestion control, CTSs.
#pragma once

#include <string>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// Reports the first queue pair without una <= next <= sent end, or with a bad state of congestion control; or the
/// first NIC whose sets (ready, timed, unacknowledged data or CTSs) have a wrong count.
std::string check_queue_pairs(const Reading& r);

}  // namespace heddle
