// How long a message takes on an idle fabric: the reference of slowdowns.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

/// Time from posting a message to its last acknowledgement on an otherwise idle fabric, in ps: closed form of
/// store-and-forward over the links of its path, to the picosecond. Jitter is part of the posting time. Windows,
/// pacing, slow receivers and delayed ACKs of TCP are not counted. Among several equal next hops the first is taken.
/// Returns -1 when there is no path.
TimePs ideal_completion_ps(const World& world, MessageId message);

}  // namespace heddle
