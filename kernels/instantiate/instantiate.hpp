// From the World's tables to the engine's arrays: local numbers, storage, initial state.
#pragma once

#include "kernels/instantiate/options.hpp"
#include "kernels/state/model.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// A run is not begun with less memory for packets.
inline constexpr u64 kLeastPoolBytes = 1 << 20;

/// Fills `model` (default-constructed) from the World. Throws std::invalid_argument, saying what and why, for what the
/// engine cannot hold.
void instantiate(const World& world, const EngineOptions& options, Model& model);

/// Pause changes in flight on a link: one a slot at most, from the decision until they take effect, and two ticks for
/// being read, or two periods when another part reads them. A power of two.
u32 pause_entries(LinkId id, const World& world, TimePs period_ps);

/// Only what route() needs, of the whole World: to ask where packets would go.
void instantiate_routes(const World& world, Model& model);

/// Parts of it, one file each.
void check_limits(const World& world);
void number_world(const Fabric& fabric, const EngineOptions& options, Model& model);
void instantiate_fabric(const World& world, const EngineOptions& options, Model& model);
void instantiate_routing(const World& world, Model& model);
void instantiate_transport(const World& world, Model& model);
void instantiate_collectives(const World& world, Model& model);
/// After the collectives.
void instantiate_programs(const World& world, Model& model);
void instantiate_boundary(Model& model);
/// The schedule of failures, after routing.
void instantiate_failures(const World& world, Model& model);
void check_failures(const World& world);

/// After the state at `now_ps` was loaded: links and switches are as the schedule has them, before the changes of that
/// instant.
void resume_failures(const Model& model, TimePs now_ps);

}  // namespace heddle
