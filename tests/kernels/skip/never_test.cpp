// Worlds of which nothing is skipped: what changes them stands in no field of the state.
#include <gtest/gtest.h>

#include "tests/kernels/skip/both_ways.hpp"

namespace heddle {
namespace {

/// The link of the receiver fails at 900 us.
TEST(NeverSkipped, WhereLinksFail) {
  const std::string text = R"(
[topology]
kind = "star"
hosts = 2
[link]
host_rate = "100 Gb/s"
[dcqcn]
enabled = false
[roce]
ack_every = 1
[failures]
detect = "1 us"
converge = "1 us"
[[failure]]
link = ["gpu1", "switch0"]
at = "900 us"
until = "1000 us"
[[message]]
src = 0
dst = 1
bytes = "16 MB"
)";
  EXPECT_EQ(skipped_without_a_trace(text), 0u);
}

/// Every packet draws its spine by its number. Two in a row that take one spine are no period.
TEST(NeverSkipped, WhereThePolicyDividesFlows) {
  for (u64 seed = 4; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    const std::string text = "[simulation]\nseed = " + std::to_string(seed) + R"(
[topology]
kind = "ai_zone"
racks = 2
gpus_per_rack = 2
ctsws = 2
uplinks_per_rtsw = 2
[link]
host_rate = "1 Gb/s"
rtsw_ctsw_rate = "1 Gb/s"
[routing]
policy = "spray"
[dcqcn]
enabled = false
[ecn]
enabled = false
[roce]
ack_every = 1
recovery = "selective_repeat"
[[message]]
src = 0
dst = 2
bytes = "4 MB"
)";
    EXPECT_EQ(skipped_without_a_trace(text), 0u);
  }
}

}  // namespace
}  // namespace heddle
