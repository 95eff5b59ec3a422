// Pauses that are decided at slots and epochs, which do not move with a period, or that act later. In each of these
// worlds one comes while everything seems to repeat itself.
#include <gtest/gtest.h>

#include "tests/kernels/skip/both_ways.hpp"

namespace heddle {
namespace {

std::string star(u32 hosts, const std::string& rate, const std::string& more) {
  return "[topology]\nkind = \"star\"\nhosts = " + std::to_string(hosts) + "\n[dcqcn]\nenabled = false\n" +
         "[ecn]\nenabled = false\n[workload]\njitter_packets = 0\n[link]\nhost_rate = \"" + rate + "\"\n" + more;
}

/// Slots of 1 us, and packets of which three last 16 ps less.
const char* const kSlots = "[simulation]\nslot = \"1048576 ps\"\nepoch = \"1048576 ps\"\n";

/// A flow whose account holds a sixth packet for 31 ns of 350: no slot falls into them before the middle of the run.
TEST(SkippedPauses, OfAnAccountThatReachesXoffBetweenSlots) {
  const std::string text = kSlots + star(3, "100 Gb/s", R"(
[buffer.rtsw]
kind = "static"
bytes = "8 MB"
xoff = "26 KB"
[roce]
ack_every = 1
data_overhead = "273 B"
[[message]]
src = 0
dst = 2
bytes = "16 MB"
[[message]]
src = 1
dst = 2
bytes = "20580 B"
post = "10 us"
)");
  EXPECT_GT(skipped_without_a_trace(text), 0u) << "paused once, it holds less";
}

/// 200 KB stay behind a burst. The pool was empty at 0; at the next epoch's start, at 1 ms, it is not, so XOFF falls.
TEST(SkippedPauses, OfAnAccountWhoseXoffFallsWithTheNextEpoch) {
  const std::string text = "[simulation]\nepoch = \"1048576000 ps\"\n" + star(3, "100 Gb/s", R"(
[buffer.rtsw]
bytes = "700 KB"
pools = 1
alpha = 0.5
[roce]
ack_every = 1
[[message]]
src = 0
dst = 2
bytes = "32 MB"
[[message]]
src = 1
dst = 2
bytes = "200 KB"
post = "10 us"
)");
  EXPECT_GT(skipped_without_a_trace(text), 0u) << "paused once, it holds less";
}

/// A pool holds five packets or six of a flow, as the epoch's start meets it. What a burst at 850 us may hold in the
/// same epoch follows from that, not from what the pool holds where a skip ends.
TEST(SkippedPauses, OfABurstInTheEpochInWhichASkipEnds) {
  const std::string text = "[simulation]\nepoch = \"209715200 ps\"\n" + star(6, "100 Gb/s", R"(
[buffer.rtsw]
bytes = "700 KB"
pools = 1
alpha = 1
[roce]
ack_every = 1
[[message]]
src = 0
dst = 1
bytes = "32 MB"
post = "96000 ps"
[[message]]
src = 2
dst = 1
bytes = "22528 B"
post = "10 us"
[[message]]
src = 3
dst = 5
bytes = "2 MB"
post = "850 us"
[[message]]
src = 4
dst = 5
bytes = "2 MB"
post = "850 us"
)");
  EXPECT_GT(skipped_without_a_trace(text), 0u);
}

/// The end of a pause acts 1 ms after it was decided. Until then its link is silent, and the rest repeats itself.
TEST(SkippedPauses, WhoseEndIsOnItsWay) {
  skipped_without_a_trace(star(6, "10 Gb/s", R"(
[pfc]
standard_response = false
response = "1 ms"
[buffer.rtsw]
kind = "static"
bytes = "8 MB"
xoff = "100 KB"
[roce]
ack_every = 1
[[message]]
src = 0
dst = 1
bytes = "8 MB"
[[message]]
src = 2
dst = 4
bytes = "6 MB"
[[message]]
src = 3
dst = 4
bytes = "6 MB"
)"));
}

/// A receive buffer holds one packet for a twelfth of the time, into which no slot falls at first.
TEST(SkippedPauses, OfASlowReceiver) {
  const std::string text = kSlots + star(3, "100 Gb/s", R"(host_propagation = "201600 ps"
[[slow_receiver]]
endpoints = [2]
drain_rate = "100 Gb/s"
xoff = "4000 B"
xon = "1000 B"
[roce]
ack_every = 1
window_packets = 1
[[message]]
src = 0
dst = 2
bytes = "4 MB"
)");
  EXPECT_EQ(skipped_without_a_trace(text), 0u);
}

}  // namespace
}  // namespace heddle
