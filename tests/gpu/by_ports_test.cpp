// Ticks by ports (kernels/ports) on a GPU or an emulated one: random worlds that allow them have the oracle's result.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "host/scenario/build.hpp"
#include "kernels/backends/count_gpus.hpp"
#include "kernels/backends/gpu/kernel_times.hpp"
#include "kernels/backends/gpu/launch_parameters.hpp"
#include "tests/gpu/plain_worlds.hpp"
#include "tests/oracle/tiny_world.hpp"
#include "tests/property/compare.hpp"

namespace heddle::property {
namespace {

/// HEDDLE_GPU_WORLDS: twice the number of random worlds, for each launch.
u64 worlds_by_ports() {
  const char* value = std::getenv("HEDDLE_GPU_WORLDS");
  return (1 + (value == nullptr ? HEDDLE_GPU_WORLDS : std::strtoull(value, nullptr, 10))) / 2;
}

/// Endpoints of one switch, with two classes, so that it is plain: each sends to another, and a sixth of them to one.
World star_by_ports(u32 endpoints) {
  World world = oracle::star(endpoints);
  world.fabric.classes.pop_back();
  for (u32 e = 0; e < endpoints; ++e) {
    oracle::add_qp(world, e, (e + 37) % endpoints, {{30'000, 0}});
    if (e % 6 == 5) oracle::add_qp(world, e, endpoints / 2, {{20'000, 100'000}});
  }
  return world;
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
  for (const u64 seed : plain_seeds(worlds_by_ports())) {
    const World world = build(case_of_seed(seed));
    Comparison comparison(world);
    EXPECT_EQ(comparison.check(variant(0)), "") << "world " << seed;  // its digests are the reference
    Variant gpu;
    gpu.name = std::string("a GPU, ") + GetParam();
    gpu.options.device = Device::gpu;
    gpu.tick_divisor = 1 + seed % 2;
    gpu.observed = seed % 3 == 0;
    if (seed % 5 < 2) gpu.legs = {2, 1, 3};  // ranks on GPUs, restarted
    gpu.cut_seed = seed;
    EXPECT_EQ(comparison.check(gpu), "") << "world " << seed;
  }
}

/// Two words of ports and half of a third; a part of a word that has one port; more arrivals than fit a bin.
TEST_P(ByPorts, OfLargeSwitchesEqualCpus) {
  for (const u32 endpoints : {150u, 65u}) {
    const World world = star_by_ports(endpoints);
    const auto run_on = [&](Device device) {
      EngineOptions options;
      options.device = device;
      options.memory_limit_bytes = 64 << 20;
      Engine engine(world, options);
      while (engine.advance(kNever)) {
      }
      return std::pair(engine.outcome().digest, engine.state_digest());
    };
    EXPECT_EQ(run_on(Device::gpu), run_on(Device::cpu)) << endpoints << " ports";
  }
}

KernelTimes times_of(const World& world) {
  KernelTimes times;
  timed_kernels() = &times;
  EngineOptions options;
  options.device = Device::gpu;
  options.memory_limit_bytes = 64 << 20;
  Engine engine(world, options);
  timed_kernels() = nullptr;
  while (engine.advance(kNever)) {
  }
  return times;
}

TEST_P(ByPorts, CanBeTimed) {
  const KernelTimes times = times_of(star_by_ports(40));
  EXPECT_GT(times.ticks, 0u);
  for (std::size_t k = 0; k < times.ms.size(); ++k)
    EXPECT_EQ(times.ms[k] > 0, times.launched[k]) << kTickKernelNames[k];
  for (const TickKernel kernel : {TickKernel::arrivals, TickKernel::ports, TickKernel::settling})
    EXPECT_TRUE(times.launched[static_cast<u32>(kernel)]);
}

/// The general way needs the plain kernel, whose scratch is in shared memory.
TEST_P(ByPorts, NeedScratchThatFitsABlock) {
  setenv(kLaunchVariable, (std::string(GetParam()) + ",team_ports=1024").c_str(), 1);
  EXPECT_TRUE(times_of(star_by_ports(500)).launched[static_cast<u32>(TickKernel::ports)]);
  EXPECT_FALSE(times_of(star_by_ports(800)).launched[static_cast<u32>(TickKernel::ports)]);
}

INSTANTIATE_TEST_SUITE_P(Launches, ByPorts, testing::Values("by_ports=1", "by_ports=1,phases=0"));

}  // namespace
}  // namespace heddle::property
