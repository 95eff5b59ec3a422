// What is drawn by the time is drawn anew in every period. Each of these worlds repeats itself for a while and then
// draws otherwise; skipped, it would go on as before.
#include <gtest/gtest.h>

#include "tests/kernels/skip/both_ways.hpp"

namespace heddle {
namespace {

/// Two flows at half of an uplink's speed, whose packets reach it at the same instants: the first port of 65 goes
/// first, but for one time in 65. `more`: of the simulation, of the links, of the messages.
std::string meeting_at_an_uplink(u64 seed, const std::string& of_links, const std::string& of_messages,
                                 const std::string& more) {
  return "[simulation]\nseed = " + std::to_string(seed) + "\nepoch = \"52428800 ps\"\n" + R"(
[topology]
kind = "ai_zone"
racks = 2
gpus_per_rack = 64
ctsws = 1
uplinks_per_rtsw = 1
[workload]
jitter_packets = 0
[dcqcn]
enabled = false
[roce]
ack_every = 1
reth = 0
[link]
host_rate = "5 Gb/s"
rtsw_ctsw_rate = "10 Gb/s"
)" + of_links +
         more + "\n[[message]]\nsrc = 0\ndst = 64\nbytes = \"4 MB\"\n" + of_messages +
         "\n[[message]]\nsrc = 1\ndst = 65\nbytes = \"4 MB\"\n" + of_messages;
}

/// Whoever was second once waits behind its own packets from then on, and ends later.
TEST(SkippedDraws, OrderOfPacketsThatArriveAtOnce) {
  for (u64 seed = 3; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(skipped_without_a_trace(meeting_at_an_uplink(seed, "", "", "")), 0u);
  }
}

/// The same where windows hold more than a queue may, so that switches take packets one by one.
TEST(SkippedDraws, OrderOfPacketsThatAreTakenOneByOne) {
  const std::string long_cables = "host_propagation = \"50 us\"\nrtsw_ctsw_propagation = \"50 us\"\n";
  const std::string small_queues = "[class.best_effort]\nlimit = \"12 KB\"\nlimit_alpha = 0\n";
  for (u64 seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE(seed);
    const std::string text = meeting_at_an_uplink(seed, long_cables, "class = \"best_effort\"\n", small_queues);
    EXPECT_EQ(skipped_without_a_trace(text), 0u);
  }
}

/// A burst leaves 50 KB behind that never drain: every packet has a chance of one in 600 to be marked.
TEST(SkippedDraws, MarksThatAreDrawn) {
  const std::string text = R"(
[topology]
kind = "star"
hosts = 3
[link]
host_rate = "100 Gb/s"
[dcqcn]
enabled = false
[roce]
ack_every = 1
[ecn]
kmin = "20 KB"
kmax = "200 KB"
pmax = 0.01
scale_with_rate = false
[[message]]
src = 0
dst = 2
bytes = "16 MB"
[[message]]
src = 1
dst = 2
bytes = "50 KB"
post = "10 us"
)";
  EXPECT_EQ(skipped_without_a_trace(text), 0u);
}

}  // namespace
}  // namespace heddle
