// The cost of a lost packet with selective repeat: nearly none, whatever the retransmission timeout.
#include <gtest/gtest.h>

#include <string>

#include "tests/acceptance/worlds.hpp"

namespace heddle::acceptance {
namespace {

/// A flow of 64 MiB between two racks, 22 us there and back, over a cable with these bit errors in both directions.
Outcome flow(const std::string& recovery, const std::string& bit_error_rate) {
  return run_engine(world_of(
      "[simulation]\nepoch = '655360 ps'\n[topology]\nkind = 'ai_zone'\nracks = 2\n[roce]\nrecovery = '" + recovery +
      "'\n[[failure]]\nlink = ['rtsw0', 'gpu0']\nkind = 'bit_errors'\nbit_error_rate = " + bit_error_rate +
      "\nat = '0 s'\n[[message]]\nsrc = 0\ndst = 16\nbytes = '64 MiB'\n"));
}

TEST(Losses, SelectiveRepeatKeepsNineTenthsOfTheLine) {
  const TimePs whole_ps = flow("selective_repeat", "1e-18").messages.at(0).acked_ps;
  for (const auto& [rate, share] : {std::pair{"2.979e-8", 1e-3}, std::pair{"2.993e-7", 1e-2}}) {
    const Outcome outcome = flow("selective_repeat", rate);
    EXPECT_EQ(outcome.reason, EndReason::complete);
    EXPECT_GT(outcome.totals.drops[static_cast<u32>(DropCause::corrupted)], static_cast<u64>(8000 * share)) << rate;
    EXPECT_EQ(outcome.totals.timeouts, 0u) << "none waits for roce.rto (4.295 s)";
    EXPECT_GT(static_cast<double>(whole_ps) / static_cast<double>(outcome.messages.at(0).acked_ps), 0.9 * (1 - share))
        << rate;
  }
}

/// Every packet is lost for 3 ms, and no NAK can report that.
TEST(Losses, SelectiveRepeatRecoversFromAnOutageWithinAnother) {
  for (const char* kind : {"[[message]]\nsrc = 0\ndst = 16\nbytes = '64 MiB'\n",
                           "[[job]]\ngpus = 32\ngpus_per_server = 8\nprotocol = 'simple'\nalgorithm = 'ring'\n"
                           "[[job.collective]]\nkind = 'all_reduce'\nsizes = ['64 MiB']\n"}) {
    const Outcome outcome = run_engine(world_of(
        std::string("[simulation]\nepoch = '655360 ps'\n[topology]\nkind = 'ai_zone'\nracks = 2\n[roce]\nrecovery = "
                    "'selective_repeat'\n[[failure]]\nlink = ['rtsw0', 'gpu0']\nat = '300 us'\nuntil = '3300 us'\n") +
        kind));
    EXPECT_EQ(outcome.reason, EndReason::complete);
    EXPECT_GT(outcome.totals.drops[static_cast<u32>(DropCause::link_down)], 0u) << kind;
    EXPECT_EQ(outcome.totals.timeouts, 0u) << kind;
    EXPECT_LT(outcome.end_ps, 10'000'000'000) << kind;
  }
}

/// NCCL's queue pairs retry for half a minute; those of 4 ms and 7 tries give up after 32 ms.
TEST(Losses, QueuePairsSurviveANicThatIsDownFor50Ms) {
  const std::string outage =
      "[topology]\nkind = 'star'\nhosts = 4\n[[failure]]\nnode = 'gpu1'\nat = '100 us'\nuntil = '50100 us'\n"
      "[[job]]\ngpus = 4\ngpus_per_server = 1\nprotocol = 'simple'\nalgorithm = 'ring'\n"
      "[[job.collective]]\nkind = 'all_reduce'\nsizes = ['32 MiB']\n";
  const Outcome nccl = run_engine(world_of(outage));
  EXPECT_EQ(nccl.reason, EndReason::complete) << nccl.explanation;
  EXPECT_GT(nccl.end_ps, 4'294'967'296'000) << "at its first timeout";
  const Outcome brief = run_engine(world_of(outage + "[roce]\ntimers = 'short'\n"));
  EXPECT_EQ(brief.reason, EndReason::qp_failed);
}

/// Without a timer nothing repairs the loss of a last packet.
TEST(Losses, NoTimerRepairsNothing) {
  const Outcome outcome = run_engine(world_of(
      "[topology]\nkind = 'star'\nhosts = 2\n[roce]\nrto = 0\n[[failure]]\nlink = ['gpu1', 'switch0']\nat = '1 ns'\n"
      "until = '20 us'\n[[message]]\nsrc = 0\ndst = 1\nbytes = 1000\n"));
  EXPECT_EQ(outcome.reason, EndReason::stalled);
  EXPECT_EQ(outcome.totals.timeouts, 0u);
}

}  // namespace
}  // namespace heddle::acceptance
