// Invariant of what nodes tell each other: who is not looked at again has told the same under both parities.
#pragma once

#include <string>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// The first port that has no news to hear in the next tick, and says something else to those who read in the tick
/// after that: where the ring of a queue lies and what was sent of it, what was taken off its wire, when it pauses.
std::string check_news(const Reading& r);

}  // namespace heddle
