// Invariant of published state: a port without updates has the same in both buffers.
#pragma once

#include <string>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// The first port that has no updates for the next tick, and whose published state differs between the buffers: where
/// the ring of a queue lies, what was sent of it, what was taken off its wire, when it pauses. Empty: none.
std::string check_updates(const Reading& r);

}  // namespace heddle
