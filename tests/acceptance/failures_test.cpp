// A fabric whose cables fail again and again loses no message: all are complete in the end, or their queue pair is
// reported.
#include <gtest/gtest.h>

#include <string>

#include "tests/acceptance/worlds.hpp"

namespace heddle::acceptance {
namespace {

/// Some 1.2 failures a microsecond in the whole fabric, of every cable, for 200 us; the traffic takes about as long
/// without them.
World failing(u64 seed, const std::string& transport) {
  return world_of("[simulation]\nseed = " + std::to_string(seed) +
                  "\n[topology]\nkind = 'ai_zone'\nracks = 4\ngpus_per_rack = 4\nctsws = 3\nuplinks_per_rtsw = 6\n"
                  "[[generator]]\nkind = 'permutation'\nbytes = '2 MiB'\n"
                  "[failures]\nmtbf_hours = 1e-8\nmttr = '5 us'\ncables = 'all'\nuntil = '200 us'\ndetect = '2 us'\n"
                  "converge = '6 us'\nseed = " +
                  std::to_string(seed) + "\n" + transport);
}

u64 times_down(const World& world) {
  u64 changes = 0;
  for (const LinkChange& change : world.failures.changes) changes += !change.state.up();
  return changes / 2;  // both directions
}

struct Seen {
  u64 failures = 0, lost = 0, complete = 0, failed = 0;
};

Seen run_worlds(const std::string& transport, u64 worlds) {
  Seen seen;
  for (u64 seed = 1; seed <= worlds; ++seed) {
    const World world = failing(seed, transport);
    const Outcome outcome = run_engine(world, {});
    seen.failures += times_down(world);
    for (const DropCause cause : {DropCause::link_down, DropCause::no_route})
      seen.lost += outcome.totals.drops[static_cast<u32>(cause)];
    u64 received = 0;
    for (const MessageOutcome& message : outcome.messages) received += message.acked_ps >= 0;
    if (outcome.reason == EndReason::complete) {
      ++seen.complete;
      EXPECT_EQ(received, outcome.messages.size()) << "seed " << seed;
    } else {
      ++seen.failed;
      EXPECT_EQ(outcome.reason, EndReason::qp_failed) << "seed " << seed << ": " << outcome.explanation;
      EXPECT_NE(outcome.explanation.find("queue pair"), std::string::npos) << outcome.explanation;
    }
  }
  return seen;
}

TEST(Failures, LoseNoMessage) {
  for (const char* recovery : {"go_back_n", "selective_repeat"}) {
    const Seen seen = run_worlds(std::string("[roce]\nrto = '40 us'\nrecovery = '") + recovery + "'\n", 5);
    EXPECT_GT(seen.failures, 500u) << recovery;
    EXPECT_GT(seen.lost, 1000u) << recovery;
    EXPECT_EQ(seen.complete, 5u) << recovery;
  }
}

/// With one try, somebody gives up.
TEST(Failures, QueuePairsThatGiveUpAreReported) {
  const Seen seen = run_worlds("[roce]\nrto = '10 us'\nrto_tries = 1\n", 3);
  EXPECT_GT(seen.failures, 300u);
  EXPECT_GT(seen.failed, 0u);
}

}  // namespace
}  // namespace heddle::acceptance
