// A fabric whose cables fail repeatedly loses no message: all messages complete, or their queue pair is reported.
#include <gtest/gtest.h>

#include <string>

#include "kernels/base/units.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"

namespace heddle::acceptance {
namespace {

/// Failures of every cable, some 1.2 per microsecond in the whole fabric, for 200 us; the traffic takes about as long
/// without them.
World failing(u64 seed, const std::string& transport, const std::string& traffic) {
  return world_of("[simulation]\nseed = " + std::to_string(seed) +
                  "\n[topology]\nkind = 'ai_zone'\nracks = 4\ngpus_per_rack = 4\nctsws = 3\nuplinks_per_rtsw = 6\n" +
                  traffic +
                  "[failures]\nmtbf_hours = 1e-8\nmttr = '5 us'\ncables = 'all'\nuntil = '200 us'\ndetect = '2 us'\n"
                  "converge = '6 us'\nseed = " +
                  std::to_string(seed) + "\n" + transport);
}

u64 times_down(const World& world) {
  u64 changes = 0;
  for (const LinkChange& change : world.failures.changes) changes += !change.state.up();
  return changes / 2;  // both directions
}

constexpr const char* kPermutation = "[[generator]]\nkind = 'permutation'\nbytes = '2 MiB'\n";
constexpr const char* kJob =
    "[[job]]\ngpus = 16\ngpus_per_server = 2\nprotocol = 'simple'\nchannels = 2\nqps_per_connection = 2\n"
    "[[job.collective]]\nkind = 'all_reduce'\nsizes = ['1 MiB']\nrepeat = 2\n"
    "[[job]]\ngpus = 16\ngpus_per_server = 2\nshare_gpus = true\nqps_per_connection = 2\n"
    "[[job.collective]]\nkind = 'all_to_all'\nsizes = ['2 MiB']\nrepeat = 4\n";

struct Seen {
  u64 failures = 0, lost = 0, timeouts = 0, complete = 0, failed = 0;
};

Seen run_worlds(const std::string& transport, const std::string& traffic, u64 worlds) {
  Seen seen;
  for (u64 seed = 1; seed <= worlds; ++seed) {
    const World world = failing(seed, transport, traffic);
    const Outcome outcome = run_engine(world, {});
    seen.failures += times_down(world);
    for (const DropCause cause : {DropCause::link_down, DropCause::no_route})
      seen.lost += outcome.totals.drops[static_cast<u32>(cause)];
    seen.timeouts += outcome.totals.timeouts;
    u64 received = 0;
    for (const MessageOutcome& message : outcome.messages) received += message.acked_ps >= 0;
    if (outcome.reason == EndReason::complete) {
      ++seen.complete;
      EXPECT_EQ(received, outcome.messages.size()) << "seed " << seed;
      for (const CollectiveOutcome& collective : outcome.collectives)
        EXPECT_EQ(collective.ranks_finished, 16u) << "seed " << seed;
    } else {
      ++seen.failed;
      EXPECT_EQ(outcome.reason, EndReason::qp_failed) << "seed " << seed << ": " << outcome.explanation;
      EXPECT_NE(outcome.explanation.find("queue pair"), std::string::npos) << outcome.explanation;
    }
  }
  return seen;
}

/// Runs five worlds with either recovery: all complete, although much failed.
void expect_nothing_lost(const char* traffic, u64 min_lost, u64 min_timeouts) {
  for (const char* recovery : {"go_back_n", "selective_repeat"}) {
    const std::string roce = std::string("[roce]\nrto = '40 us'\nrecovery = '") + recovery + "'\n";
    const Seen seen = run_worlds(roce, traffic, 5);
    EXPECT_GT(seen.failures, 500u) << recovery;
    EXPECT_GT(seen.lost, min_lost) << recovery;
    EXPECT_GT(seen.timeouts, min_timeouts) << recovery;
    EXPECT_EQ(seen.complete, 5u) << recovery;
  }
}

TEST(Failures, LoseNoMessage) { expect_nothing_lost(kPermutation, 1000, 50); }

/// Collectives lose no slice, even with losses of data, ACKs, CTSs and their ACKs.
TEST(Failures, LoseNoCollective) { expect_nothing_lost(kJob, 500, 50); }

/// Two GPUs gather. The cable of GPU 1 is down when the CTS of GPU 0 arrives: it is retransmitted RTO after its
/// creation, and the slice follows. GPU 1 has its own slice in time, as its CTS waited at its NIC.
TEST(Failures, ALostCtsIsSentAgain) {
  const World world = world_of(
      "[topology]\nkind = 'star'\nhosts = 2\n[collective]\nlaunch_latency = 0\n[roce]\nrto = '50 us'\n"
      "[[failure]]\nlink = ['gpu1', 'switch0']\nat = '900 ns'\nuntil = '2 us'\n"
      "[[job]]\ngpus = 2\ngpus_per_server = 1\nprotocol = 'simple'\nchannels = 1\nslices_per_chunk = 1\n"
      "[[job.collective]]\nkind = 'all_gather'\nsizes = ['1 KiB']\n");
  const TimePs proxy = 1'000'000, flush = 2'000'000,
               copy = ser_ps(512, world.collectives.settings.copy_ps_per_byte_q16);
  const auto way = [&](EndpointId from, EndpointId to, u32 bytes) {
    return path_ps(world, some_path(world, from, to), bytes);
  };
  const TimePs ack =
      ser_ps(106, world.fabric.links[some_path(world, 1, 0).front()].ps_per_byte_q16);  // answer to the CTS, first
  const TimePs gpu_0 = proxy + 50'000'000 + way(0, 1, 182) + ack + way(1, 0, 512 + 118) + proxy + flush + copy;
  for (const Outcome& outcome : {run_engine(world), simulate(world, {})}) {
    EXPECT_EQ(outcome.reason, EndReason::complete);
    EXPECT_EQ(outcome.totals.timeouts, 1u);
    EXPECT_EQ(outcome.totals.retransmits, 1u);
    EXPECT_EQ(outcome.totals.drops[static_cast<u32>(DropCause::link_down)], 1u);
    EXPECT_EQ(outcome.collectives.at(0).last_finish_ps, gpu_0);
  }
}

/// With one try, some queue pairs give up.
TEST(Failures, QueuePairsThatGiveUpAreReported) {
  const Seen seen = run_worlds("[roce]\nrto = '10 us'\nrto_tries = 1\n", kPermutation, 3);
  EXPECT_GT(seen.failures, 300u);
  EXPECT_GT(seen.failed, 0u);
}

/// A GPU whose cable stays down gets no CTS any more: the GPU that waits for its slices reports that.
TEST(Failures, CtsThatNobodyAcknowledgesAreReported) {
  const World world = world_of(
      "[topology]\nkind = 'star'\nhosts = 2\n[collective]\nlaunch_latency = 0\n[roce]\nrto = '20 us'\nrto_tries = 2\n"
      "[[failure]]\nlink = ['gpu1', 'switch0']\nat = '900 ns'\n"
      "[[job]]\ngpus = 2\ngpus_per_server = 1\nprotocol = 'simple'\nchannels = 1\nslices_per_chunk = 1\n"
      "[[job.collective]]\nkind = 'all_gather'\nsizes = ['1 KiB']\n");
  const Outcome engine = run_engine(world), oracle = simulate(world, {});
  EXPECT_EQ(engine.reason, EndReason::qp_failed);
  EXPECT_NE(engine.explanation.find("the CTSs of receiving queue pair 0 of endpoint 0 gave up at 61 us"),
            std::string::npos)
      << engine.explanation;
  EXPECT_EQ(oracle.reason, engine.reason);
  EXPECT_EQ(oracle.end_ps, engine.end_ps);
  EXPECT_EQ(oracle.event_digest, engine.event_digest);
}

/// A TCP connection whose cable stays down reports the timeouts and keys of TCP, not those of RoCE.
TEST(Failures, ATcpConnectionThatGivesUpNamesTheKeysOfTcp) {
  const World world = world_of(
      "[topology]\nkind = 'star'\nhosts = 2\n[class.best_effort]\ntransport = 'tcp'\n"
      "[tcp]\nrto_initial = '20 us'\nrto_min = '20 us'\nretries = 2\n"
      "[[failure]]\nlink = ['gpu1', 'switch0']\n[[message]]\nsrc = 0\ndst = 1\nbytes = 1000\nclass = 'best_effort'\n");
  const Outcome engine = run_engine(world), oracle = simulate(world, {});
  EXPECT_EQ(engine.reason, EndReason::qp_failed);
  for (const char* part : {"TCP queue pair 0 of endpoint 0 gave up at 140.000",
                           " us at retransmission timeout 3 in a row (tcp.retries = 2)"})
    EXPECT_NE(engine.explanation.find(part), std::string::npos) << engine.explanation;
  EXPECT_EQ(engine.explanation.find("roce"), std::string::npos) << engine.explanation;
  EXPECT_EQ(oracle.end_ps, engine.end_ps);
}

}  // namespace
}  // namespace heddle::acceptance
