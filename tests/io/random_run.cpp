#include "tests/io/random_run.hpp"

#include "kernels/base/hash.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

constexpr EventKind kKinds[] = {EventKind::pause,        EventKind::resume,   EventKind::pause,
                                EventKind::resume,       EventKind::drop,     EventKind::message_acked,
                                EventKind::rank_entered, EventKind::gpu_time, EventKind::mark};

Event random_event(u64 seed, u64 step, u64 i) {
  const u64 chance = hash64(seed, Stream::workload, step, i);
  Event event;
  event.time_ps = static_cast<TimePs>(step * 1'000'000 + i);
  event.node = 4;
  event.port = static_cast<u16>(chance >> 8 & 3);
  event.cls = static_cast<u8>(chance >> 16 & 1);
  event.kind = kKinds[chance % std::size(kKinds)];
  event.value = event.kind == EventKind::rank_entered ? chance >> 62 : chance;  // rank 0 to 3 of collective 0
  event.detail = static_cast<u32>(chance >> 24 & 1);
  return event;
}

}  // namespace

void random_step(ResultWriter& writer, const World& world, u64 seed, u64 step) {
  const u64 chance = hash64(seed, Stream::workload, step);
  if ((chance & 1) != 0) {
    const u64 state = (chance & 2) != 0 ? step : step / 16;  // in a quarter of the steps as 16 steps ago
    writer.append_series(static_cast<TimePs>(step * 1'000'000), small_counters(world, state));
  }
  std::vector<Event> events;
  for (u64 i = 0; i < (chance >> 8) % 400; ++i) events.push_back(random_event(seed, step, i));
  writer.append_events(events);
}

void random_steps(ResultWriter& writer, const World& world, u64 seed, u64 first, u64 end) {
  for (u64 step = first; step < end; ++step) random_step(writer, world, seed, step);
}

std::string uninterrupted_run(const std::string& path, const World& world, const ResultSettings& settings, u64 seed,
                              u64 steps) {
  ResultWriter writer(path, world, settings);
  random_steps(writer, world, seed, 0, steps);
  writer.finish(small_outcome(), {});
  return path;
}

}  // namespace heddle::test
