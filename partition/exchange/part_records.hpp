// The state of one rank's part, so that all ranks go on at once with other engines.
#pragma once

#include <vector>

#include "kernels/engine/engine.hpp"

namespace heddle {

/// Records (kernels/restart): those that this rank alone needs, and those that others need, too: of the wires that are
/// cut, and the sums and warnings, which the first rank has of all.
struct PartRecords {
  std::vector<std::vector<u64>> own;  // in blocks of some MB of whole records, so that each can go once it was loaded
  std::vector<u64> shared;
};

/// Of an engine of `part`, which may be all of the World. Throws as Engine::save.
PartRecords records_of(const Engine& engine, const World& world, const Part& part);

}  // namespace heddle
