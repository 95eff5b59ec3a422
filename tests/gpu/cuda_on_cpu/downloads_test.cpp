// What comes from the device when the host asks something between ticks: the answer, not the state.
#include "tests/gpu/cuda_on_cpu/downloads.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "host/build.hpp"
#include "host/controller/measured.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/property/world_case.hpp"

namespace heddle::property {
namespace {

constexpr u64 kWorlds = 16;

EngineOptions options_on(Device device) {
  EngineOptions options;
  options.memory_limit_bytes = 64 << 20;
  options.device = device;
  return options;
}

/// Calls visit(CPU's engine, GPU's engine) at instants of the worlds of some seeds, which meet no grid.
template <class Visit>
void at_instants(const Visit& visit) {
  for (u64 seed = 1; seed <= kWorlds; ++seed) {
    const World world = build(case_of_seed(seed));
    if (demands_are_measured(world)) continue;  // their controller is the host's
    SCOPED_TRACE("world " + std::to_string(seed));
    Engine cpu(world, options_on(Device::cpu)), gpu(world, options_on(Device::gpu));
    TimePs step_ps = 200'003;
    for (TimePs t = step_ps; cpu.advance(t); t += step_ps += step_ps / 5) {
      ASSERT_TRUE(gpu.advance(t));
      visit(world, cpu, gpu);
    }
  }
}

/// `ask` downloads `bytes` at the most.
template <class Ask>
void expect_at_most(u64 bytes, const Ask& ask) {
  const cuda_on_cpu::Downloads before = cuda_on_cpu::downloads();
  ask();
  EXPECT_LE((cuda_on_cpu::downloads() - before).bytes, bytes);
}

TEST(GpuDownloads, ARowOfTheSeriesIsWhatItWrites) {
  u64 rows = 0, queued = 0;
  at_instants([&](const World& world, Engine& cpu, Engine& gpu) {
    const u64 links = world.fabric.links.size();
    std::vector<LinkCounters> expected(links), found(links);
    cpu.link_counters(expected);
    expect_at_most(links * sizeof(LinkCounters), [&] { gpu.link_counters(found); });
    EXPECT_EQ(found, expected);
    ++rows;
    for (const LinkCounters& counters : found) queued += counters.queue_bytes != 0;
  });
  EXPECT_GT(rows, kWorlds);
  EXPECT_GT(queued, 10u) << "these worlds queue too little to show anything";
}

}  // namespace
}  // namespace heddle::property
