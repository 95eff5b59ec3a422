// The state of one rank's part as records, so that all ranks can resume with new engines.
#pragma once

#include <vector>

#include "kernels/engine/engine.hpp"

namespace heddle {

/// Records (kernels/restart): `own` for this rank alone, and `shared` with others, too: those of cut wires, and the
/// sums and warnings, which the first rank has for all.
struct PartRecords {
  std::vector<std::vector<u64>> own;  // in blocks of some MB of whole records, each freed once it was loaded
  std::vector<u64> shared;
};

/// The records of an engine of `part`, which may be all of the World. Throws as Engine::save.
PartRecords records_of(const Engine& engine, const World& world, const Part& part);

}  // namespace heddle
