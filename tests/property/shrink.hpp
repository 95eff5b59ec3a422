// Makes a failing world small: removes everything from its configuration without which it still fails.
#pragma once

#include <chrono>
#include <functional>

#include "kernels/world/world.hpp"
#include "tests/property/world_case.hpp"

namespace heddle::property {

/// Sizes that make a world slow to run. None of them may grow during shrinking.
struct WorldSize {
  u64 endpoints = 0, links = 0, qps = 0, messages = 0, packets = 0, collectives = 0, collective_bytes = 0;

  explicit WorldSize(const World& world);
  bool within(const WorldSize& other) const;
};

struct Shrunk {
  WorldCase smallest;  // still fails; the given world when no reduction succeeded
  u64 tried = 0, accepted = 0;
  bool time_ran_out = false;  // else no single reduction makes the world smaller
};

/// Tries reductions greedily, over and over: no twist, fewer elements of lists, keys and sections back to their
/// defaults, explicit messages on a star, smaller and rounder numbers. A reduced world counts when it builds, is not
/// larger in any WorldSize, ends no later, has not far smaller clocks, and `still_fails`. Its input files stay or are
/// removed whole. `start` must build.
Shrunk shrink(const WorldCase& start, const std::function<bool(const World&)>& still_fails,
              std::chrono::milliseconds limit);

}  // namespace heddle::property
