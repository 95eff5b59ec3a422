// The largest and the smallest frame that packets of a World can have.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

/// Sets Fabric::max_frame_bytes and Fabric::min_frame_bytes from the sizes of the classes' transports and from
/// Fabric::wire_gap_bytes. `empty_messages`: messages may have 0 bytes.
/// Throws ConfigError, with the key, when a size on the wire leaves no frame beside the gap, or too large a one.
void set_frame_sizes(World& world, bool empty_messages);

}  // namespace heddle
