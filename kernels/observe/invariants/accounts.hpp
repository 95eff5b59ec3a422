// Invariants of memory: PFC accounts, slow NICs' buffers, pools.
#pragma once

#include <string>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// The first account that is negative, not what its packets sum to, or above XOFF (while pausing: the level at the
/// pause) + headroom; or the first pool that is not what its accounts and queues sum to, or above its limit.
std::string check_accounts(const Reading& r);

}  // namespace heddle
