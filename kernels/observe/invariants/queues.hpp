// Invariants of the FIFOs: order, bytes, limits, nothing overdue.
#pragma once

#include <string>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// The first FIFO whose positions went back or do not fit its ring; that is out of order of time, or holds a packet of
/// another class; whose bytes are not what its packets sum to, or beyond the limit of its class; or from whose wire a
/// packet was not taken in time.
std::string check_queues(const Reading& r);

}  // namespace heddle
