// TCP segments that are larger than RoCE's packets. The engine looks for a new peak of a queue only where so many
// packets wait that there could be one, which the largest packet decides.
#include <gtest/gtest.h>

#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"

namespace heddle::acceptance {
namespace {

TEST(LargeSegments, ArePartOfAQueuesPeak) {
  const World world = world_of(R"(
[topology]
kind = "star"
hosts = 4
[roce]
mtu = "256 B"
[class.best_effort]
transport = "tcp"
[tcp]
segment = "8900 B"
[[generator]]
kind = "incast"
class = "best_effort"
fan_in = 3
target = 3
bytes = "80 KB"
[[message]]
src = 0
dst = 3
bytes = "100 KB"
)");
  const Outcome engine = run_engine(world), oracle = simulate(world, {});
  ASSERT_EQ(engine.links.size(), oracle.links.size());
  u64 largest_bytes = 0;
  for (std::size_t l = 0; l < engine.links.size(); ++l) {
    EXPECT_EQ(engine.links[l].peak_queue_bytes, oracle.links[l].peak_queue_bytes) << "link " << l;
    EXPECT_EQ(engine.links[l].peak_queue_ps, oracle.links[l].peak_queue_ps) << "link " << l;
    largest_bytes = std::max(largest_bytes, oracle.links[l].peak_queue_bytes);
  }
  EXPECT_GT(largest_bytes, 100'000u);
}

}  // namespace
}  // namespace heddle::acceptance
