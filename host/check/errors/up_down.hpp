// Whether all routes go up, then down: such routes have no cycle of buffer dependences.
#pragma once

#include <string>

#include "kernels/world/world.hpp"

namespace heddle {

/// Empty when no packet goes up, or to a switch of the same tier, once it has gone down, or to one of the same tier,
/// whatever the policies choose among next hops. Otherwise a flow that may do so, with its path: "from gpu0 to gpu9:
/// rtsw0 -> ctsw0 -> rtsw1 -> ctsw1". To be called when routing_problems() finds none.
std::string down_and_up(const World& world);

}  // namespace heddle
