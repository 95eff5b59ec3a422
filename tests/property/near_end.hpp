// Worlds whose horizon is close to the end that they reach by themselves.
#pragma once

#include "tests/property/world_case.hpp"

namespace heddle::property {

/// Moves the horizon of a world that stalls, fails or (one in five of these) completes in the oracle to within two
/// ticks of that instant: the end reason must depend on neither ticks nor ranks. Does not change other worlds. Throws
/// as build() does.
void end_near_its_end(u64 seed, WorldCase& world_case);

}  // namespace heddle::property
