// Hashes of what a configuration made of the fabric and of the workload: two runs with equal hashes compare one to one
// even if their configurations were written differently.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

u64 topology_hash(const World& world);
u64 workload_hash(const World& world);

}  // namespace heddle
