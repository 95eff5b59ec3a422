// Conversion of a configuration to the World that the engine and the oracle simulate.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/scenario/memory/memory_need.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct Config;

/// Reads the files that the configuration names and builds fabric, routing, traffic, collectives and clocks.
/// Throws ConfigError (or InputError of a foreign file) for all that cannot work: impossible dimensions, endpoints out
/// of range, too small a headroom, a tick above the lookahead; and when tables and state would exceed the budget,
/// before memory is taken for them. Adds to `notes`, if given, what a user should be told of what was made of a file.
World build_world(const Config& config, const MemoryBudget& budget = {}, std::vector<std::string>* notes = nullptr);

/// The same from load_config_text(): who needs no more of a configuration compiles without it.
World build_world(std::string_view toml, const std::string& name, std::span<const std::string> sets = {});

}  // namespace heddle
