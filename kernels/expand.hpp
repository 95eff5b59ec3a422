// From the World's tables to the engine's arrays: local numbers, storage, initial state.
#pragma once

#include <vector>

#include "kernels/arrays.hpp"
#include "kernels/engine.hpp"
#include "kernels/state.hpp"
#include "kernels/world.hpp"

namespace heddle {

/// The expanded World and the numbers that lead back to it.
struct Model {
  Arrays arrays;
  View view;
  std::vector<u32> local_node;      // [global node]
  std::vector<u32> local_link;      // [global link]
  std::vector<u32> local_endpoint;  // [global endpoint]
  u32 max_switch_ports = 0;
  u64 messages = 0;
  u64 rank_finishes = 0;  // ranks x collectives that must finish
};

/// Fills `model` (default-constructed) from the World. Throws std::invalid_argument, saying what and why, for what the
/// engine cannot hold.
void expand_world(const World& world, const EngineOptions& options, Model& model);

/// Parts of it, one file each.
void check_limits(const World& world);
void expand_fabric(const World& world, const EngineOptions& options, Model& model);
void expand_routing(const World& world, Model& model);
void expand_transport(const World& world, Model& model);
void expand_collectives(const World& world, Model& model);

}  // namespace heddle
