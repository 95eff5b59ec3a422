// Hashes of the fabric and the workload that a configuration produced: runs with equal hashes are directly comparable
// even if their configurations were written differently.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

u64 topology_hash(const World& world);
u64 workload_hash(const World& world);

}  // namespace heddle
