// Worlds in which a cable fails at the very instant of something.
#pragma once

#include "tests/property/world_case.hpp"

namespace heddle::property {

/// Moves the beginning or the end of one failure of a world that has some to an instant at which, as the oracle sees
/// it, something happens at that cable, or a picosecond beside it, or less than a packet before: a packet starts or
/// arrives, a pause is decided or takes effect. Or so that it becomes known just then. Throws as build() does.
void fail_at_an_event(u64 seed, WorldCase& world_case);

}  // namespace heddle::property
