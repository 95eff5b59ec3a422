// Downloads when the host asks for something between ticks: the answer, not the state.
#include "tests/gpu/cuda_on_cpu/downloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "host/scenario/controller/measured.hpp"
#include "kernels/backends/backend.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/instantiate/instantiate.hpp"
#include "kernels/observe/quiet.hpp"
#include "kernels/observe/state_digest.hpp"
#include "kernels/outcome/events.hpp"
#include "kernels/state/live_rings.hpp"
#include "tests/kernels/observe/ring_of_three.hpp"
#include "tests/oracle/tiny_world.hpp"
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

/// Calls visit(CPU's engine, GPU's engine) at instants that meet no grid, in the worlds of some seeds.
template <class Visit>
void at_instants(const Visit& visit) {
  for (u64 seed = 1; seed <= kWorlds; ++seed) {
    const World world = build(case_of_seed(seed));
    if (demands_are_measured(world)) continue;  // a controller on the host
    SCOPED_TRACE("world " + std::to_string(seed));
    Engine cpu(world, options_on(Device::cpu)), gpu(world, options_on(Device::gpu));
    TimePs step_ps = 200'003;
    for (TimePs t = step_ps; cpu.advance(t); t += step_ps += step_ps / 5) {
      ASSERT_TRUE(gpu.advance(t));
      visit(world, cpu, gpu);
    }
  }
}

/// Expects that `ask` downloads at most `bytes`.
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

/// A World with queues that are stuck for a while: in a deadlock, or behind slow hosts.
World stuck_world(bool deadlock) {
  World world = deadlock ? ring_of_three() : oracle::line(2, 2, 1);
  world.clocks.stuck_ps = 100'000'000;
  if (deadlock) return world;
  world.fabric.ingress[0] = {false, 10'000, 5'000, 300'000, 0};
  world.traffic.slow_receivers = {{0, 0x7fffffffu}, {2, 0x7fffffffu}};  // 137 us a packet
  world.traffic.messages.push_back({oracle::add_qp(world, 1, 2, {}), 600'000, 0});
  world.traffic.messages.push_back({oracle::add_qp(world, 3, 0, {}), 600'000, 0});
  return world;
}

TEST(GpuDownloads, StuckQueuesAreToldByPorts) {
  for (const bool deadlock : {true, false}) {
    const World world = stuck_world(deadlock);
    Engine cpu(world, options_on(Device::cpu)), gpu(world, options_on(Device::gpu));
    u64 found = 0, none = 0;
    for (TimePs t = 0; found < 2;) {
      t += world.clocks.stuck_ps / 2;
      const bool goes_on = cpu.advance(t);
      ASSERT_EQ(gpu.advance(t), goes_on);
      const std::vector<StuckQueue> expected = cpu.stuck();
      std::vector<StuckQueue> stuck;
      u64 ports = 0;
      for (const StuckQueue& queue : expected) ports += queue.holds_from.size();
      expect_at_most(ports * sizeof(u64) + (ports == 0 ? 0 : sizeof(u32)), [&] { stuck = gpu.stuck(); });
      EXPECT_EQ(stuck, expected);
      (expected.empty() ? none : found) += 1;
      if (!goes_on) break;
    }
    EXPECT_GT(none, 0u);
    EXPECT_GT(found, 0u);
    EXPECT_EQ(gpu.ending().deadlock, cpu.ending().deadlock);
    EXPECT_EQ(gpu.ending().deadlock.empty(), !deadlock);
    EXPECT_EQ(gpu.warnings(), cpu.warnings());
  }
}

/// The device finds out whether the fabric is quiet: at most one bit is downloaded.
TEST(GpuDownloads, WhetherAFabricIsQuietIsFoundOnTheDevice) {
  u64 quiet = 0, busy = 0;
  for (u64 seed = 1; seed <= 4; ++seed) {
    const World world = build(case_of_seed(seed));
    Model model;
    instantiate(world, options_on(Device::gpu), model);
    const auto backend = make_gpu_backend(model, options_on(Device::gpu), world.clocks.tick_ps);
    Tick tick;
    u64 ticks = 0;
    for (TimePs until = 500'000; tick.from < kNever && until < 8'000'000'000; until *= 2) {
      backend->advance(tick, world.clocks.tick_ps, until, ticks);
      bool found = false;
      expect_at_most(0, [&] { found = backend->quiet(tick.parity); });
      backend->fetch_all(tick.parity);
      bool expected = true;
      for (u32 l = 0; l < model.view.links; ++l) expected = expected && !LinkIsAtWork{&model.view, tick.parity}(l);
      EXPECT_EQ(found, expected) << "world " << seed;
      (found ? quiet : busy) += 1;
    }
  }
  EXPECT_GT(quiet, 0u);
  EXPECT_GT(busy, quiet);
}

/// Number of packets in rings of the host's copy of the state.
u64 live_entries(const Model& model, u32 parity) {
  const LiveRings rings{&model.view, ring_numbers(model.view, model.all_links()), parity};
  u64 sum = 0;
  for (u32 i = 0; i < rings.numbers.all(); ++i) sum += rings(i).count;
  return sum;
}

/// A checkpoint downloads, from the pool of queued packets, only those in rings; the digest covers every packet.
TEST(GpuDownloads, ACheckpointHasQueuedPacketsButNotTheirPool) {
  constexpr u64 kEntryBytes = sizeof(Packet) + sizeof(TimePs);
  u64 live = 0, pool = 0;
  for (u64 seed = 1; seed <= kWorlds; ++seed) {
    const World world = build(case_of_seed(seed));
    Model model;
    instantiate(world, options_on(Device::gpu), model);
    const View& v = model.view;
    const auto backend = make_gpu_backend(model, options_on(Device::gpu), world.clocks.tick_ps);
    u64 state_bytes = 0;
    for (const ArrayInfo& array : model.arrays.list()) {
      const bool elsewhere = array.kind == StateKind::plan || array.kind == StateKind::free_list;
      if (!elsewhere && array.kind != StateKind::queued) state_bytes += array.bytes;
    }
    Tick tick;
    u64 ticks = 0;
    for (TimePs until = 900'001; tick.from < kNever && until < 200'000'000; until *= 2) {
      backend->advance(tick, world.clocks.tick_ps, until, ticks);
      const cuda_on_cpu::Downloads before = cuda_on_cpu::downloads();
      backend->fetch_all(tick.parity);
      const u64 entries = live_entries(model, tick.parity), flags = 64;
      EXPECT_LE((cuda_on_cpu::downloads() - before).bytes, state_bytes + entries * kEntryBytes + flags);
      u64 digest = 0;
      for (u32 l = 0; l < v.links; ++l) digest += LinkDigest{&v, tick.parity, tick.from}(l);
      for (u32 e = 0; e < v.endpoints; ++e) digest += EndpointDigest{&v, tick.from}(e);
      EXPECT_EQ(digest, backend->state_digest(tick)) << "world " << seed << " at " << tick.from;
      live += entries;
      pool += *v.pool.top;
    }
  }
  EXPECT_GT(live, 1000u);
  EXPECT_GT(pool, 2 * live);
}

/// Sums of all blocks are downloaded as one; events are sorted on the device.
TEST(GpuDownloads, SumsAreOneAndEventsInOrder) {
  u64 recorded = 0, several = 0;
  for (u64 seed = 1; seed <= kWorlds; ++seed) {
    const World world = build(case_of_seed(seed));
    std::vector<Event> events[2];
    Tally sums[2];
    for (const Device device : {Device::cpu, Device::gpu}) {
      EngineOptions options = options_on(device);
      options.recorded_kinds = ~0u;
      Model model;
      instantiate(world, options, model);
      const auto backend = device == Device::gpu ? make_gpu_backend(model, options, world.clocks.tick_ps)
                                                 : make_cpu_backend(model, options, world.clocks.tick_ps);
      Tick tick;
      u64 ticks = 0;
      for (TimePs until = 900'001; until < 100'000'000; until *= 2) {
        while (tick.from < until) {
          backend->advance(tick, world.clocks.tick_ps, until, ticks);
          if (model.view.failure->kind == kFailureNew) backend->acknowledge_failure();
        }
      }
      const u32 i = device == Device::gpu;
      events[i] = backend->take_events();
      expect_at_most(sizeof(Tally), [&] { sums[i] = backend->tally(); });
    }
    EXPECT_EQ(sums[1].digest, sums[0].digest) << "world " << seed;
    EXPECT_EQ(sums[1].packet_hops, sums[0].packet_hops);
    EXPECT_EQ(sums[1].last_completion_ps, sums[0].last_completion_ps);
    EXPECT_TRUE(std::is_sorted(events[1].begin(), events[1].end(), EarlierEvent())) << "world " << seed;
    ASSERT_EQ(events[1].size(), events[0].size());
    for (std::size_t k = 0; k < events[0].size(); ++k) ASSERT_EQ(digest_of(events[1][k]), digest_of(events[0][k])) << k;
    recorded += events[0].size();
    several += events[0].size() > 100;
  }
  EXPECT_GT(recorded, 1000u);
  EXPECT_GT(several, kWorlds / 4);
}

}  // namespace
}  // namespace heddle::property
