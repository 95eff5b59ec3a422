// What `heddle selftest` does: small worlds, simulated in ways that must give the same bits.
#pragma once

#include <string>
#include <vector>

#include "host/selftest/first_difference.hpp"
#include "host/selftest/worlds.hpp"

namespace heddle {

/// Of one world.
struct SelfTestResult {
  SelfTestWorld world;
  Outcome outcome;         // on one thread of the CPU
  std::string difference;  // of the first way that differs: what, and where first; empty: all are the same
};

/// One thread of the CPU, with which all others are compared.
SelfTestWay self_test_reference();
/// On the CPU: two threads; half ticks in another numbering of nodes. On a GPU: as on one, and half ticks.
std::vector<SelfTestWay> self_test_ways(Device device);

/// Simulates a world in all those ways: their digests, ends, sums and messages must be those of the reference, and so
/// must the digests of their states at a few instants. Throws what an Engine throws that cannot be made or fails.
SelfTestResult self_test(const SelfTestWorld& world, const std::vector<SelfTestWay>& ways);

/// "1,164 pauses, 12 drops": what happened in it that can go wrong; empty: nothing but packets.
std::string happenings(const Totals& totals);

}  // namespace heddle
