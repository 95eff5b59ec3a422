// Ticks by ports (kernels/ports) on a GPU or an emulated one: random worlds that allow them have the oracle's result.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "host/scenario/build.hpp"
#include "kernels/backends/count_gpus.hpp"
#include "kernels/backends/gpu/kernel_times.hpp"
#include "kernels/backends/gpu/launch_parameters.hpp"
#include "kernels/instantiate/instantiate.hpp"
#include "kernels/ports/bins.hpp"
#include "tests/property/compare.hpp"
#include "tests/property/world_case.hpp"

namespace heddle::property {
namespace {

/// HEDDLE_GPU_WORLDS: number of random worlds, for each launch.
u64 worlds_by_ports() {
  const char* value = std::getenv("HEDDLE_GPU_WORLDS");
  return value == nullptr ? HEDDLE_GPU_WORLDS : std::strtoull(value, nullptr, 10);
}

bool allows_ticks_by_ports(const World& world) {
  Model model;
  instantiate(world, {}, model);
  return may_go_by_ports(model.view.settings);
}

class ByPorts : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (count_gpus() == 0) GTEST_SKIP() << "this machine has no GPU";
    setenv(kLaunchVariable, GetParam(), 1);
  }
  void TearDown() override { unsetenv(kLaunchVariable); }
};

TEST_P(ByPorts, EqualsOracle) {
  u64 found = 0;
  for (u64 seed = 1; found < worlds_by_ports(); ++seed) {
    const World world = build(case_of_seed(seed));
    if (!allows_ticks_by_ports(world)) continue;
    ++found;
    Comparison comparison(world);
    EXPECT_EQ(comparison.check(variant(0)), "") << "world " << seed;  // its digests are the reference
    Variant gpu;
    gpu.name = std::string("a GPU, ") + GetParam();
    gpu.options.device = Device::gpu;
    gpu.tick_divisor = 1 + seed % 2;
    gpu.observed = seed % 3 == 0;
    if (found % 3 == 0) gpu.legs = {2, 1, 3};  // ranks on GPUs, restarted
    gpu.cut_seed = seed;
    EXPECT_EQ(comparison.check(gpu), "") << "world " << seed;
  }
}

TEST_P(ByPorts, CanBeTimed) {
  u64 seed = 1;
  while (!allows_ticks_by_ports(build(case_of_seed(seed)))) ++seed;
  const World world = build(case_of_seed(seed));
  KernelTimes times;
  timed_kernels() = &times;
  EngineOptions options;
  options.device = Device::gpu;
  options.memory_limit_bytes = 64 << 20;
  Engine engine(world, options);
  timed_kernels() = nullptr;
  while (engine.advance(kNever)) {
  }
  EXPECT_GT(times.ticks, 0u);
  for (const double ms : times.ms) EXPECT_GT(ms, 0);
}

INSTANTIATE_TEST_SUITE_P(Launches, ByPorts, testing::Values("by_ports=1", "by_ports=1,phases=0,team_ports=8"));

}  // namespace
}  // namespace heddle::property
