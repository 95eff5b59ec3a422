// The GPU backend: on a GPU in a CUDA build, else on the CPU (cuda_on_cpu/), with kernels lane by lane and unchanged
// host code. Random worlds must have the oracle's result, on one and on several GPUs, and saved by one backend and
// resumed by the other. Skipped only where CUDA reports that there is no GPU: a driver that fails is a failure.
#include <gtest/gtest.h>

#include <cstdlib>

#include "host/scenario/build.hpp"
#include "host/scenario/controller/measured.hpp"
#include "host/selftest/self_test.hpp"
#include "kernels/backends/count_gpus.hpp"
#include "kernels/backends/gpu/kernel_times.hpp"
#include "kernels/backends/gpu/launch_parameters.hpp"
#include "tests/oracle/tiny_world.hpp"
#include "tests/property/compare.hpp"
#include "tests/property/measuring.hpp"
#include "tests/property/world_case.hpp"

namespace heddle::property {
namespace {

/// HEDDLE_GPU_WORLDS: number of random worlds for each variant.
u64 worlds() {
  const char* value = std::getenv("HEDDLE_GPU_WORLDS");
  return value == nullptr ? HEDDLE_GPU_WORLDS : std::strtoull(value, nullptr, 10);
}

Variant on_gpu(const char* name) {
  Variant v;
  v.name = name;
  v.options.device = Device::gpu;
  return v;
}

std::vector<Variant> variants() {
  Variant odd = on_gpu("a GPU, half tick, other numbering, observed");
  odd.tick_divisor = 2;
  odd.options.numbering_seed = 5;
  odd.observed = true;
  Variant ranks = on_gpu("3 ranks on GPUs");
  ranks.legs = {3};
  ranks.cut_seed = 7;
  Variant restarted = on_gpu("saved by 2 ranks on GPUs, restarted in 1, then in 2");
  restarted.legs = {2, 1, 2};
  restarted.cut_seed = 8;
  return {on_gpu("a GPU"), odd, ranks, restarted};
}

void skip_without_gpu() {
  if (count_gpus() == 0) GTEST_SKIP() << "this machine has no GPU";
}

class Gpu : public testing::TestWithParam<u32> {
 protected:
  void SetUp() override { skip_without_gpu(); }
};

class GpuRestart : public testing::Test {
 protected:
  void SetUp() override { skip_without_gpu(); }
};

TEST_P(Gpu, EqualsOracle) {
  const Variant variant = variants()[GetParam()];
  for (u64 i = 0; i < worlds(); ++i) {
    const u64 seed = 1 + i * 4 + GetParam();
    const World world = build(case_of_seed(seed));
    Comparison comparison(world);
    EXPECT_EQ(comparison.check(property::variant(0)), "") << "world " << seed;  // its digests are the reference
    EXPECT_EQ(comparison.check(variant), "") << variant.name << ", world " << seed;
  }
}

/// Also tests a run whose outcome was computed, which looks ahead on the host's copy of the state.
TEST_F(GpuRestart, TheStateAfterTheOutcomeIsThatOfTheCpu) {
  for (u64 seed = 1; seed <= 4 * worlds(); ++seed) {
    const World world = build(case_of_seed(seed));
    if (demands_are_measured(world)) continue;  // a controller on the host
    std::vector<u64> digests;
    for (const Device device : {Device::cpu, Device::gpu}) {
      EngineOptions options;
      options.memory_limit_bytes = 64 << 20;
      options.device = device;
      Engine engine(world, options);
      while (engine.advance(kNever)) {
      }
      engine.outcome();
      digests.push_back(engine.state_digest());
    }
    EXPECT_EQ(digests[0], digests[1]) << "world " << seed;
  }
}

/// Worlds that fill several blocks of every kind: with the smallest, the default and other launches, and timed.
TEST_F(GpuRestart, LaunchesChangeNothing) {
  for (u64 seed = 1; seed <= 4; ++seed) {
    const World world = build(case_of_seed(seed));
    const auto digest_on = [&](Device device) {
      EngineOptions options;
      options.memory_limit_bytes = 64 << 20;
      options.device = device;
      Engine engine(world, options);
      while (engine.advance(kNever)) {
      }
      return engine.outcome().digest;
    };
    const u64 expected = digest_on(Device::cpu);
    for (const char* launch :
         {"small_threads=32,big_threads=32,endpoint_threads=32,endpoint_lanes=3,team_ports=1,graph_ticks=1,phases=0",
          "small_threads=288,big_threads=128,endpoint_threads=64,endpoint_lanes=32,team_ports=8,graph_ticks=100"}) {
      setenv(kLaunchVariable, launch, 1);
      EXPECT_EQ(digest_on(Device::gpu), expected) << "world " << seed << ", " << launch;
    }
    unsetenv(kLaunchVariable);
    KernelTimes times;
    timed_kernels() = &times;
    EXPECT_EQ(digest_on(Device::gpu), expected) << "world " << seed << ", timed";
    timed_kernels() = nullptr;
    EXPECT_GT(times.ticks, 0u);
    EXPECT_FALSE(times.launched[static_cast<u32>(TickKernel::ports)]) << "switches do not run by ports";
    for (std::size_t k = 0; k < times.ms.size(); ++k)
      EXPECT_EQ(times.ms[k] > 0, times.launched[k]) << kTickKernelNames[k];
    EXPECT_TRUE(times.launched[static_cast<u32>(TickKernel::endpoints)]);
  }
}

/// The work of `heddle selftest --device gpu`.
TEST_F(GpuRestart, SelfTestPasses) {
  for (u32 number = 0; number < self_test_kinds(); ++number) {
    const SelfTestResult result = self_test(self_test_world(number), self_test_ways(Device::gpu));
    EXPECT_EQ(result.difference, "") << result.world.name;
    EXPECT_GT(result.outcome.totals.packet_hops, 1000u) << result.world.name;
  }
}

TEST_F(GpuRestart, SelfTestTellsWhereAGpuDiffers) {
  World other = oracle::star(3);
  oracle::add_qp(other, 0, 2, {{20'000, 0}});
  World world = oracle::star(3);
  oracle::add_qp(world, 0, 2, {{20'001, 0}});
  const std::string text = first_difference(other, self_test_reference(), world, self_test_ways(Device::gpu)[0]);
  EXPECT_NE(text.find("link nic0 -> switch3 sent_bytes: "), std::string::npos) << text;
}

TEST_F(GpuRestart, RefusesLaunchesThatCudaWouldRefuse) {
  setenv(kLaunchVariable, "big_threads=512", 1);
  EngineOptions options;
  options.device = Device::gpu;
  EXPECT_THROW(Engine(oracle::star(2), options), std::invalid_argument);
  unsetenv(kLaunchVariable);
}

INSTANTIATE_TEST_SUITE_P(Worlds, Gpu, testing::Range<u32>(0, 4));

TEST_F(GpuRestart, GoesOnWithWhatAControllerMeasured) {
  u64 tried = 0;
  for (u64 seed = 1; tried < 1; ++seed) {
    const World world = build(case_of_seed(seed));
    if (!demands_are_measured(world)) continue;
    const World told = told_beforehand(world);
    if (told.routing.controller.empty()) continue;
    ++tried;
    EXPECT_EQ(difference_of_measuring(world, told, Device::gpu), "") << "world " << seed;
  }
}

/// Simulates a World with one backend up to `when_ps`, then with another.
Outcome handed_over(const World& world, Device from, Device to, TimePs when_ps) {
  EngineOptions options;
  options.memory_limit_bytes = 64 << 20;
  options.trace = true;
  options.device = from;
  Engine first(world, options);
  EXPECT_TRUE(first.advance(when_ps));
  const u64 digest = first.state_digest();
  options.device = to;
  Engine second(world, options);
  first.save([&](std::span<const u64> records) { second.load(records); });
  second.go_on_at(when_ps);
  EXPECT_EQ(second.state_digest(), digest);
  while (second.advance(kNever)) {
  }
  return second.outcome();
}

TEST_F(GpuRestart, EitherBackendResumesTheOthersRun) {
  World world = oracle::star(9);
  for (u32 src = 1; src < 9; ++src) oracle::add_qp(world, src, 0, {{200'000, 0}});
  constexpr TimePs kWhen = 20'000'000;
  const Outcome whole = handed_over(world, Device::cpu, Device::cpu, kWhen);
  for (const auto& [from, to] : {std::pair(Device::cpu, Device::gpu), std::pair(Device::gpu, Device::cpu)}) {
    const Outcome outcome = handed_over(world, from, to, kWhen);
    EXPECT_EQ(outcome.digest, whole.digest);
    EXPECT_EQ(outcome.end_ps, whole.end_ps);
  }
}

/// All-to-alls in closed form at the restart: some pairs open, one in progress, one to come, and senders slowed down.
TEST_F(GpuRestart, OfAnAllToAllWithDcqcn) {
  const World world = build_world(R"(
[topology]
kind = "ai_zone"
racks = 2
gpus_per_rack = 8
ctsws = 2
uplinks_per_rtsw = 2
[ecn]
kmin = "20 KB"
kmax = "60 KB"
[dcqcn]
enabled = true
[[job]]
gpus_per_server = 2
[[job.collective]]
kind = "all_to_all"
sizes = ["512 KiB"]
repeat = 2
)",
                                  "all-to-all");
  ASSERT_TRUE(world.collectives.jobs[0].all_pairs);
  EngineOptions options;
  options.trace = true;
  Engine engine(world, options);
  while (engine.advance(kNever)) {
  }
  const Outcome whole = engine.outcome();
  ASSERT_EQ(whole.reason, EndReason::complete);
  ASSERT_GT(whole.totals.cnps, 100u);
  for (const auto& [from, to] : {std::pair(Device::cpu, Device::gpu), std::pair(Device::gpu, Device::cpu)}) {
    for (const TimePs part : {10, 50, 80}) {
      const Outcome outcome = handed_over(world, from, to, whole.end_ps / 100 * part);
      EXPECT_EQ(outcome.digest, whole.digest) << part << " %";
      EXPECT_EQ(outcome.end_ps, whole.end_ps) << part << " %";
      EXPECT_EQ(outcome.totals.cnps, whole.totals.cnps) << part << " %";
    }
  }
}

}  // namespace
}  // namespace heddle::property
