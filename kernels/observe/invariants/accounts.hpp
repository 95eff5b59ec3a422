// Invariants of memory: PFC accounts, slow NICs' buffers, pools.
#pragma once

#include <string>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// Reports the first account that is negative, not the sum of its packets, or above XOFF (while pausing: the level at
/// the pause) + headroom; or the first pool that is not the sum of its accounts and queues, or above its limit.
std::string check_accounts(const Reading& r);

}  // namespace heddle
