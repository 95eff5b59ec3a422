// Whether all routes go up, then down: such routes have no cycle of buffer dependencies.
#pragma once

#include <string>

#include "kernels/world/world.hpp"

namespace heddle {

/// Empty when no packet goes up, or to a switch of the same tier, once it has gone down, or to one of the same tier,
/// whatever the policies choose among next hops. Else a flow that may, with its way:
/// "from gpu0 to gpu9: rtsw0 -> ctsw0 -> rtsw1 -> ctsw1". To be asked when routing_problems() has none.
std::string down_and_up(const World& world);

}  // namespace heddle
