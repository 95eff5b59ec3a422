// Conversion of a configuration to the World that the engine and the oracle simulate.
#pragma once

#include <string>
#include <vector>

#include "host/config/config.hpp"
#include "host/scenario/memory/memory_need.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Reads the files that the configuration names and builds fabric, routing, traffic, collectives and clocks. Throws
/// ConfigError (or InputError for a foreign file) for all that cannot work: impossible dimensions, endpoints out of
/// range, too small a headroom, a tick above the lookahead; and when tables and state would exceed the budget, before
/// memory is allocated for them. Adds notes for the user on the interpretation of a file to `notes`, if given.
World build_world(const Config& config, const MemoryBudget& budget = {}, std::vector<std::string>* notes = nullptr);

}  // namespace heddle
