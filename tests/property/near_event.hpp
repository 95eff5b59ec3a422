// Worlds in which a cable fails at the very instant of an event.
#pragma once

#include "tests/property/world_case.hpp"

namespace heddle::property {

/// Moves the begin or the end of one failure, if the world has any, to an instant at which an event happens at that
/// cable in the oracle, or a picosecond beside it, or less than a packet before it: a packet starts or arrives, a pause
/// is decided or takes effect. Or so that the failure is detected at that instant. Throws as build() does.
void fail_at_an_event(u64 seed, WorldCase& world_case);

}  // namespace heddle::property
