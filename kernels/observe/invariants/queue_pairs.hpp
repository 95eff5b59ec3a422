// Invariants of the sending ends of queue pairs: PSNs, ready sets, timers, DCQCN.
#pragma once

#include <string>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// The first queue pair for which not una <= next <= sent end, or whose DCQCN rate or target lies outside
/// [min_rate, line] or alpha above 1; or the first NIC whose sets (ready, timed, unacknowledged) do not count what they
/// hold.
std::string check_queue_pairs(const Reading& r);

}  // namespace heddle
