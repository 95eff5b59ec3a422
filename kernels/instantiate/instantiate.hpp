// Makes the engine's arrays from the World's tables: local numbers, storage, initial state.
#pragma once

#include "kernels/instantiate/options.hpp"
#include "kernels/state/model.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Smallest memory for packets with which a run begins.
inline constexpr u64 kMinPoolBytes = 1 << 20;

/// Fills `model` (default-constructed) from the World. Throws std::invalid_argument with the reason when the engine
/// cannot hold the World.
void instantiate(const World& world, const EngineOptions& options, Model& model);

/// Capacity for pause changes in flight on a link: at most one per slot from decision to effect, plus two ticks (two
/// periods when another part reads them) until they are read. A power of two.
u32 pause_entries(LinkId id, const World& world, TimePs period_ps);

/// Fills `model` only with what route() needs, for the whole World: to query the routes of packets.
void instantiate_routes(const World& world, Model& model);

/// Stages of instantiate(), one file each.
void check_limits(const World& world);
void number_world(const Fabric& fabric, const EngineOptions& options, Model& model);
void instantiate_fabric(const World& world, const EngineOptions& options, Model& model);
void instantiate_routing(const World& world, Model& model);
void instantiate_transport(const World& world, Model& model);
/// What messages wait for; a stage of instantiate_transport().
void instantiate_message_waits(const World& world, Model& model);
void instantiate_collectives(const World& world, Model& model);
/// Call after instantiate_collectives().
void instantiate_programs(const World& world, Model& model);
void instantiate_boundary(Model& model);
/// Adds the schedule of failures; call after instantiate_routing().
void instantiate_failures(const World& world, Model& model);
void check_failures(const World& world);

/// Call after the state at `now_ps` was loaded: sets links and switches to the schedule's state before the changes of
/// that instant.
void resume_failures(const Model& model, TimePs now_ps);

}  // namespace heddle
