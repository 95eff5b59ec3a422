// Invariant of published state: equal in both buffers for a port without updates.
#pragma once

#include <string>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// Reports the first port without updates for the next tick whose published state differs between the buffers: the
/// place of a queue's ring, its sent and taken positions, its pause changes. Empty: none.
std::string check_updates(const Reading& r);

}  // namespace heddle
