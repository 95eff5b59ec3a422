#include "host/selftest/self_test.hpp"

#include <fmt/format.h>

#include <iterator>
#include <numeric>

#include "host/scenario/build.hpp"

namespace heddle {
namespace {

constexpr u64 kMemoryBytes = u64{64} << 20;  // for packets, few in these Worlds
constexpr u32 kStops = 4;                    // instants at which states are compared

struct Run {
  Outcome outcome;
  std::vector<u64> state_digests;  // at the stops before the end
};

Run run_of(const World& world, const SelfTestWay& way, const std::vector<TimePs>& stops_ps) {
  Engine engine(as_simulated(world, way), way.options);
  Run run;
  bool goes_on = true;
  for (const TimePs stop : stops_ps) {
    goes_on = goes_on && engine.advance(stop);
    if (goes_on) run.state_digests.push_back(engine.state_digest());
  }
  while (goes_on) goes_on = engine.advance(kNever);
  run.outcome = engine.outcome();
  return run;
}

bool same(const Outcome& a, const Outcome& b) {
  return a.digest == b.digest && a.event_digest == b.event_digest && a.reason == b.reason && a.end_ps == b.end_ps &&
         a.totals.packet_hops == b.totals.packet_hops && a.links == b.links && a.messages == b.messages;
}

/// Epoch starts within the run: every tick ends there, half ticks included.
std::vector<TimePs> stops_of(const World& world, TimePs end_ps) {
  std::vector<TimePs> stops_ps;
  for (u32 i = 1; i <= kStops; ++i) {
    const TimePs stop = end_ps / (kStops + 1) * i / world.clocks.epoch_ps * world.clocks.epoch_ps;
    if (stop > 0 && (stops_ps.empty() || stop > stops_ps.back())) stops_ps.push_back(stop);
  }
  return stops_ps;
}

SelfTestWay way_on(Device device, const char* name) {
  SelfTestWay way;
  way.name = name;
  way.options.device = device;
  way.options.trace = true;
  way.options.memory_limit_bytes = kMemoryBytes;
  return way;
}

}  // namespace

SelfTestWay self_test_reference() { return way_on(Device::cpu, "one thread of the CPU"); }

std::vector<SelfTestWay> self_test_ways(Device device) {
  if (device == Device::gpu) {
    SelfTestWay half = way_on(Device::gpu, "the GPU in half ticks");
    half.tick_divisor = 2;
    return {way_on(Device::gpu, "the GPU"), half};
  }
  SelfTestWay threads = way_on(Device::cpu, "two threads"), half = way_on(Device::cpu, "half ticks, other numbering");
  threads.options.threads = 2;
  threads.options.sharing_from_nodes = 0;
  half.options.numbering_seed = 5;
  half.tick_divisor = 2;
  return {threads, half};
}

SelfTestResult self_test(const SelfTestWorld& self_test_world, const std::vector<SelfTestWay>& ways) {
  const World world = build_world(self_test_world.toml, self_test_world.name);
  const SelfTestWay reference = self_test_reference();
  const std::vector<TimePs> stops_ps = stops_of(world, run_of(world, reference, {}).outcome.end_ps);
  const Run expected = run_of(world, reference, stops_ps);
  SelfTestResult result{self_test_world, expected.outcome, ""};
  for (const SelfTestWay& way : ways) {
    const Run run = run_of(world, way, stops_ps);
    if (same(run.outcome, expected.outcome) && run.state_digests == expected.state_digests) continue;
    result.difference =
        fmt::format("  {}: digest {:016x}, on {} {:016x}\n{}", way.name, run.outcome.digest, reference.name,
                    expected.outcome.digest, first_difference(world, reference, world, way));
    break;
  }
  return result;
}

std::string happenings(const Totals& totals) {
  std::string text;
  const auto add = [&](u64 count, const char* what) {
    if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(totals.pauses, "pauses");
  add(totals.marks, "marks");
  add(totals.cnps, "CNPs");
  add(std::accumulate(std::begin(totals.drops), std::end(totals.drops), u64{0}), "drops");
  add(totals.retransmits, "retransmits");
  add(totals.data_packets_out_of_order, "out of order");
  add(totals.flowlets, "flowlets");
  return text;
}

}  // namespace heddle
