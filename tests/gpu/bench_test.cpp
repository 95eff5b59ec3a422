// heddle-bench on a GPU: the result of a CPU, every kernel timed, and the search for launch parameters.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "host/scenario/build.hpp"
#include "kernels/backends/count_gpus.hpp"
#include "tests/bench/autotune.hpp"

namespace heddle::bench {
namespace {

class BenchOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (count_gpus() == 0) GTEST_SKIP() << "this machine has no GPU";
    for (const Case& c : all_cases()) {
      if (c.name == "permutation-128-on") case_ = c;
    }
    settings_.repeat = 2;
    settings_.from_us = 2;
    settings_.end_us = 6;
    settings_.options.memory_limit_bytes = 64 << 20;
  }
  Measurement measured(Device device, bool kernel_times = false) {
    settings_.options.device = device;
    settings_.kernel_times = kernel_times;
    return measure_fastest(case_, build_world(case_.toml, case_.name), settings_);
  }

  Case case_;
  Settings settings_;
};

TEST_F(BenchOnGpu, TheBitsOfACpu) {
  const Measurement cpu = measured(Device::cpu), gpu = measured(Device::gpu);
  EXPECT_GT(cpu.packet_hops, 1000u);
  EXPECT_EQ(gpu.packet_hops, cpu.packet_hops);
  EXPECT_EQ(gpu.state_digest, cpu.state_digest);
  EXPECT_EQ(gpu.digest, cpu.digest);
  EXPECT_EQ(gpu.kernels.ticks, 0u);
}

TEST_F(BenchOnGpu, TimesEveryKernelOfTheWindow) {
  const Measurement plain = measured(Device::gpu), timed = measured(Device::gpu, true);
  EXPECT_EQ(timed.digest, plain.digest);
  EXPECT_EQ(timed.kernels.ticks, timed.ticks);
  EXPECT_GT(timed.kernels.ms[static_cast<u32>(TickKernel::endpoints)], 0);
  EXPECT_LT(timed.kernels.ms[static_cast<u32>(TickKernel::endpoints)], timed.wall_s * 1e3);
  EXPECT_EQ(timed_kernels(), nullptr);
}

/// A machine that is faster with some launch parameters.
Measurement liked(const LaunchParameters& launch) {
  Measurement m;
  m.ticks = m.packet_hops = 100;
  m.wall_s = 10 + (launch.small_threads == 64 ? 0 : 1) + (launch.team_ports == 68 ? 0 : 1) +
             (launch.big_threads == 128 ? 0 : 1) + (launch.endpoint_lanes == 4 ? 0 : 1) +
             (launch.graph_ticks == 128 ? 0 : 1);
  return m;
}

TEST(Autotune, FindsTheBestAndTriesNothingTwice) {
  u32 told = 0;
  const Tuned tuned = tune(liked, [&](const Try&) { ++told; });
  EXPECT_EQ(text_of(tuned.best),
            "small_threads=64,big_threads=128,endpoint_threads=32,endpoint_lanes=4,team_ports=68,graph_ticks=128,"
            "by_ports=0,phases=1");
  EXPECT_EQ(tuned.tries.front().launch, LaunchParameters());
  std::set<std::string> seen;
  for (const Try& t : tuned.tries) {
    EXPECT_TRUE(seen.insert(text_of(t.launch)).second) << text_of(t.launch);
    EXPECT_EQ(launch_parameters(text_of(t.launch), "a try"), t.launch) << "within bounds";
  }
  EXPECT_EQ(tuned.tries.size(), 22u);
  EXPECT_EQ(told, 22u);
}

TEST(Autotune, StopsAtOtherBits) {
  const auto broken = [](const LaunchParameters& launch) {
    Measurement m = liked(launch);
    m.digest = launch.big_threads == 128 ? 1 : 0;
    return m;
  };
  EXPECT_THROW(tune(broken, [](const Try&) {}), std::runtime_error);
}

}  // namespace
}  // namespace heddle::bench
