// The first difference of two runs of one World: the instant, and the state that differs.
#pragma once

#include <string>

#include "kernels/engine/engine.hpp"

namespace heddle {

/// A named way to simulate a World.
struct SelfTestWay {
  std::string name;
  EngineOptions options;
  u32 tick_divisor = 1;  // the way's tick is the World's divided by this
};

/// `world` as `way` simulates it.
World as_simulated(const World& world, const SelfTestWay& way);

/// Simulates both again, tick by tick, and returns the first instant at which their states differ, the differing tables
/// (totals, links, received bytes, records of nodes and wires), and the first event that differs. Tests may pass two
/// Worlds, with the same nodes and links.
std::string first_difference(const World& expected_world, const SelfTestWay& expected, const World& world,
                             const SelfTestWay& way);

}  // namespace heddle
