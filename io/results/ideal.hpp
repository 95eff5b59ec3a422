// How long a message takes alone: the yardstick of slowdowns.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

/// Time from posting a message to its last acknowledgement on an otherwise idle fabric, in ps: closed form of
/// store-and-forward over the links of its path, to the picosecond. Jitter is part of the posting time. Windows, pacing
/// and slow receivers are not counted. Where there are several equal next hops the first one is taken. -1: no path.
TimePs ideal_completion_ps(const World& world, MessageId message);

}  // namespace heddle
