// `heddle selftest`: small Worlds, simulated in ways that must give the same bits.
#pragma once

#include <string>
#include <vector>

#include "host/selftest/first_difference.hpp"
#include "host/selftest/worlds.hpp"

namespace heddle {

/// The result for one World.
struct SelfTestResult {
  SelfTestWorld world;
  Outcome outcome;         // on one thread of the CPU
  std::string difference;  // the first way that differs: what, and where first; empty: all are the same
};

/// One thread of the CPU, with which all other ways are compared.
SelfTestWay self_test_reference();
/// On the CPU: two threads; half ticks with another numbering of nodes. On a GPU: as it is, and half ticks.
std::vector<SelfTestWay> self_test_ways(Device device);

/// Simulates a World in all those ways: their digests, ends, sums and messages must be those of the reference, and so
/// must the digests of their states at a few instants. Rethrows an Engine's exceptions.
SelfTestResult self_test(const SelfTestWorld& world, const std::vector<SelfTestWay>& ways);

/// "1,164 pauses, 12 drops": the unusual events of a run; empty: nothing but packets.
std::string happenings(const Totals& totals);

}  // namespace heddle
