// All-to-alls in closed form, written out as the equivalent tables, entry by entry (kernels/world/collective.hpp).
#pragma once

#include "kernels/world/world.hpp"

namespace heddle::oracle {

/// Returns the same World with the connections, channel ends and queue pairs of every job in its tables, numbered as
/// MODEL.md, 9.10, says. Queue pairs of messages get other numbers in Traffic::qps, and keep those at their endpoints.
World with_tables(const World& world);

}  // namespace heddle::oracle
