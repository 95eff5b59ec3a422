// Must show 6: a fabric of 24,576 GPUs fits into 4 GiB. This test builds it and runs some microseconds; tests/bench
// runs its 100 us at full load.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "tests/acceptance/worlds.hpp"

namespace heddle::acceptance {
namespace {

constexpr u64 kGiB = u64{1} << 30;

TEST(Memory, TwentyFourThousandGpusInFourGiB) {
  const std::vector<std::string> sets = {"simulation.horizon=4 us"};
  const World world = build_world(load_config("configs/meta_24k.toml", sets));
  ASSERT_EQ(world.fabric.endpoints, 24'576u);
  Engine engine(world, {});
  while (engine.advance(kNever)) {
  }
  EXPECT_GT(engine.totals().packet_hops, 24'576u * 30) << "every NIC sends at line rate";
  EXPECT_LE(engine.memory_bytes(), 4 * kGiB);
  rusage usage{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  const u64 peak_bytes = static_cast<u64>(usage.ru_maxrss) * 1024;
  std::printf("  engine %.2f GiB, whole process at most %.2f GiB\n",
              static_cast<double>(engine.memory_bytes()) / static_cast<double>(kGiB),
              static_cast<double>(peak_bytes) / static_cast<double>(kGiB));
  EXPECT_LE(peak_bytes, 4 * kGiB) << "World, tables and engine together";
}

}  // namespace
}  // namespace heddle::acceptance
