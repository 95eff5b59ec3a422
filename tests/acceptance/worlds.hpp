// Worlds and runs of the acceptance tests: configurations as text, and runs of both simulators.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/engine/engine.hpp"
#include "kernels/world/world.hpp"

namespace heddle::acceptance {

inline constexpr u32 kSpeed400G = 20u << 16;  // Q16 ps per byte

/// The World of a configuration text; files that it names are in `directory`. Its servers have no preset
/// (collective.host = "none") unless `sets` name one. Throws as load_config and build_world do.
World world_of(std::string_view toml, const std::vector<std::string>& sets = {}, const std::string& directory = ".");

/// Bit mask of event kinds for EngineOptions::recorded_kinds.
inline u32 kinds(std::initializer_list<EventKind> list) {
  u32 mask = 0;
  for (const EventKind kind : list) mask |= 1u << static_cast<u32>(kind);
  return mask;
}

/// Runs the engine to the end of the world.
Outcome run_engine(const World& world, const EngineOptions& options = {});

/// Saves the run at `at_ps`, and resumes it with another engine. Throws std::logic_error when the run is over by then.
Outcome run_restarted(const World& world, TimePs at_ps, const EngineOptions& options = {});

/// The links that packets take from endpoint `src` to `dst` when every next hop is the set's first port: with equal
/// cables, they have the latencies of every path.
std::vector<LinkId> some_path(const World& world, EndpointId src, EndpointId dst);

/// Time of a single packet of `wire_bytes` over `path`, from its start to the decision at the last node.
TimePs path_ps(const World& world, const std::vector<LinkId>& path, u32 wire_bytes);

}  // namespace heddle::acceptance
