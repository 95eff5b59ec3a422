// Pinned paths do not meet, even over parallel cables: flows from the GPUs of one rack to those of another, each to a
// downlink of its own, take the time of a single flow.
#include <gtest/gtest.h>

#include <string>

#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"

namespace heddle::acceptance {
namespace {

/// GPU i of the first rack sends to GPU i of rack `to`, for the first `flows` GPUs.
std::string flows_between_racks(u32 gpus, u32 spines, u32 flows, u32 to) {
  std::string text = "[topology]\nkind = \"ai_zone\"\nracks = 3\ngpus_per_rack = " + std::to_string(gpus) +
                     "\nuplinks_per_rtsw = " + std::to_string(gpus) + "\nctsws = " + std::to_string(spines) +
                     "\n[routing]\npolicy = \"path_pinning\"\n[workload]\njitter_packets = 0\n";
  for (u32 i = 0; i < flows; ++i) {
    text +=
        "[[message]]\nsrc = " + std::to_string(i) + "\ndst = " + std::to_string(to * gpus + i) + "\nbytes = \"1 MB\"\n";
  }
  return text;
}

TimePs last_acked_ps(const Outcome& outcome) {
  TimePs last_ps = 0;
  for (const MessageOutcome& message : outcome.messages) last_ps = std::max(last_ps, message.acked_ps);
  return last_ps;
}

TEST(PathPinning, FlowsToDifferentDownlinksDoNotMeet) {
  for (const u32 spines : {1, 2, 4, 8}) {
    const TimePs alone_ps = last_acked_ps(run_engine(world_of(flows_between_racks(8, spines, 1, 1))));
    for (const u32 to : {1, 2}) {
      const Outcome all = run_engine(world_of(flows_between_racks(8, spines, 8, to)));
      for (const MessageOutcome& message : all.messages) EXPECT_EQ(message.acked_ps, alone_ps) << spines << " spines";
    }
  }
}

/// 6 uplinks over 4 spines: racks begin with different ones, so some flows meet. Engine and oracle agree on which.
TEST(PathPinning, EngineAndOracleAgreeWhereCablesAreUneven) {
  for (const u32 spines : {2, 3, 4, 5}) {
    const World world = world_of(flows_between_racks(6, spines, 6, 1));
    EngineOptions options;
    options.trace = true;  // makes departures events
    EXPECT_EQ(run_engine(world, options).event_digest, simulate(world, {.trace = true}).event_digest) << spines;
  }
}

}  // namespace
}  // namespace heddle::acceptance
