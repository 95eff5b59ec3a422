// Where two runs of one World part: the first instant, and what is not the same then.
#pragma once

#include <string>

#include "kernels/engine/engine.hpp"

namespace heddle {

/// A way to simulate a World, by its name.
struct SelfTestWay {
  std::string name;
  EngineOptions options;
  u32 tick_divisor = 1;  // its tick is that part of the World's
};

/// `world` as a way simulates it.
World as_simulated(const World& world, const SelfTestWay& way);

/// Simulates both again, tick by tick, and says at which instant their states are the first not to be the same, in
/// which tables (totals, links, received bytes, records of nodes and wires), and which event is the first to be
/// another. For tests the Worlds may be two; they have the same nodes and links.
std::string first_difference(const World& expected_world, const SelfTestWay& expected, const World& world,
                             const SelfTestWay& way);

}  // namespace heddle
