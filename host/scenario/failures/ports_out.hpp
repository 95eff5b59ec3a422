// When ports of NICs with several ports are out of service (MODEL.md, 8.10).
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

/// Fills world.failures.ports_out, from the changes of the NICs' cables; does nothing where NICs have one port, or none
/// of their cables goes down for longer than `detect_ps`. detect_ps <= converge_ps.
void add_ports_out(TimePs detect_ps, TimePs converge_ps, World& world);

}  // namespace heddle
