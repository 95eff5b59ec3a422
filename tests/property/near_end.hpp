// Worlds whose horizon lies where they would end by themselves.
#pragma once

#include "tests/property/world_case.hpp"

namespace heddle::property {

/// Moves the horizon of a world that the oracle sees stall, fail or (one in five of these) complete to within two ticks
/// of that instant: what a run is called then must depend on neither ticks nor ranks. Leaves others alone. Throws as
/// build() does.
void end_near_its_end(u64 seed, WorldCase& world_case);

}  // namespace heddle::property
