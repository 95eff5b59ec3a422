// A run that stalls reports that, or ends at its horizon, whatever the tick and the number of ranks: only what has
// happened decides, not what was known in the last tick.
#include <gtest/gtest.h>

#include <set>

#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/property/random_cut.hpp"
#include "tests/property/ranks.hpp"

namespace heddle::acceptance {
namespace {

/// With one slot every rank of the ring waits for its neighbour to free it: a rank sends the second slice of its chunk
/// before it receives the first slice of another chunk.
World stalling(TimePs horizon_ps) {
  World world = world_of(
      "[topology]\nkind = 'ai_zone'\nracks = 4\ngpus_per_rack = 2\nctsws = 2\nuplinks_per_rtsw = 2\n"
      "[collective]\nlaunch_latency = 0\npost_latency = 0\nflush_latency = 0\n"
      "[[job]]\ngpus = 8\ngpus_per_server = 1\nprotocol = 'simple'\nchannels = 1\nslots = 1\nslice = '8 "
      "KiB'\nslices_per_chunk = 2\n"
      "[[job.collective]]\nkind = 'all_gather'\nsizes = ['128 KiB']\n");
  world.clocks.horizon_ps = horizon_ps;
  return world;
}

void expect_same_end(const Outcome& oracle, const Outcome& engine, const std::string& what) {
  EXPECT_EQ(engine.reason, oracle.reason) << what;
  EXPECT_EQ(engine.end_ps, oracle.end_ps) << what;
  EXPECT_EQ(engine.event_digest, oracle.event_digest) << what;
}

TEST(Stalled, DoesNotDependOnTicksOrRanks) {
  std::set<EndReason> reasons;
  for (TimePs horizon_ps = 25'000'000; horizon_ps < 45'000'000; horizon_ps += 500'001) {
    const World world = stalling(horizon_ps);
    const Outcome oracle = simulate(world, {});
    reasons.insert(oracle.reason);
    for (const TimePs part : {1, 2, 4}) {
      World finer = world;
      finer.clocks.tick_ps /= part;
      const std::string what = "horizon " + std::to_string(horizon_ps) + " ps, tick / " + std::to_string(part);
      expect_same_end(oracle, run_engine(finer, {}), what);
    }
    expect_same_end(oracle, property::outcome_in_ranks(world, {}, property::random_cut(world, 2, 1)),
                    "horizon " + std::to_string(horizon_ps) + " ps, 2 ranks");
  }
  EXPECT_EQ(reasons, (std::set{EndReason::horizon, EndReason::stalled}));
}

}  // namespace
}  // namespace heddle::acceptance
