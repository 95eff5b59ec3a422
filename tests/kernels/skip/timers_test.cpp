// Timers that run out while everything else repeats itself.
#include <gtest/gtest.h>

#include "tests/kernels/skip/both_ways.hpp"

namespace heddle {
namespace {

std::string star(u32 hosts, const std::string& more) {
  return "[topology]\nkind = \"star\"\nhosts = " + std::to_string(hosts) +
         "\n[link]\nhost_rate = \"100 Gb/s\"\n[roce]\nack_every = 1\nreth = 0\nrto = \"1 ms\"\n" + more;
}

/// The last packets of a burst are dropped; skipped, they would be sent again too late.
TEST(SkippedTimers, OfDataThatNobodyAcknowledges) {
  const std::string text = star(6, R"(
[dcqcn]
enabled = false
[class.best_effort]
limit = "20 KB"
limit_alpha = 0
[[message]]
src = 0
dst = 1
bytes = "32 MB"
[[generator]]
kind = "incast"
hosts = 4
first_host = 2
target = 2
fan_in = 3
bytes = "10 KB"
messages = 1
class = "best_effort"
)");
  EXPECT_GT(skipped_without_a_trace(text), 0u) << "all has come: the rest repeats itself";
}

/// CTSs that meet at one NIC are dropped; skipped, they would be created again too late.
TEST(SkippedTimers, OfCtssThatNobodyAcknowledges) {
  const std::string text = star(8, R"(
[dcqcn]
enabled = false
[class.control]
limit = "400 B"
[[message]]
src = 6
dst = 7
bytes = "48 MB"
[[job]]
gpus = 6
gpus_per_server = 1
[[job.collective]]
kind = "all_to_all"
sizes = ["64 KiB"]
)");
  EXPECT_GT(skipped_without_a_trace(text), 0u) << "all has come: the rest repeats itself";
}

/// A flow at a rate that was cut; skipped, it would not recover at 1.5 ms.
TEST(SkippedTimers, OfARateThatRecovers) {
  const std::string text = star(3, R"(
[dcqcn]
enabled = true
byte_counter = 0
increase_period = "1500 us"
alpha_period = "1500 us"
decrease_period = "10 us"
cnp_gap = "1500 us"
[ecn]
kmin = "20 KB"
kmax = "20 KB"
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
)");
  EXPECT_EQ(skipped_without_a_trace(text), 0u);
}

}  // namespace
}  // namespace heddle
