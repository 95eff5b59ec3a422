#include "tests/bench/measure.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <stdexcept>

namespace heddle::bench {
namespace {

TimePs ps_of(double us) { return static_cast<TimePs>(std::llround(us * 1e6)); }

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// While it lives, a GPU's kernels are timed.
class Timing {
 public:
  Timing(KernelTimes& times, bool wanted) {
    if (wanted) timed_kernels() = &times;
  }
  ~Timing() { timed_kernels() = nullptr; }
  Timing(const Timing&) = delete;
  Timing& operator=(const Timing&) = delete;
};

}  // namespace

Measurement measure(const Case& c, const World& world, const Settings& settings) {
  KernelTimes kernels;
  const Timing timing(kernels, settings.kernel_times);
  Measurement m;
  auto start = std::chrono::steady_clock::now();
  Engine engine(world, settings.options);
  m.build_s = seconds_since(start);
  const TimePs from = ps_of(settings.from_us.value_or(c.warm_up_us)), end = ps_of(settings.end_us.value_or(c.end_us));
  if (from > 0) engine.advance(from);
  const u64 hops_before = engine.totals().packet_hops, ticks_before = engine.ticks();
  kernels = {};
  start = std::chrono::steady_clock::now();
  engine.advance(end);
  m.wall_s = seconds_since(start);
  m.kernels = kernels;
  const Totals totals = engine.totals();
  m.packet_hops = totals.packet_hops - hops_before;
  m.ticks = engine.ticks() - ticks_before;
  m.memory_bytes = engine.memory_bytes();
  m.entities = world.fabric.links.size();  // a NIC or a switch port each
  m.pauses = totals.pauses;
  m.cnps = totals.cnps;
  m.state_digest = engine.state_digest();
  m.digest = engine.outcome().digest;
  return m;
}

Measurement measure_fastest(const Case& c, const World& world, const Settings& settings) {
  Measurement best = measure(c, world, settings);
  for (u32 i = 1; i < settings.repeat; ++i) {
    const Measurement m = measure(c, world, settings);
    if (m.digest != best.digest || m.state_digest != best.state_digest) {
      throw std::runtime_error(fmt::format(
          "{}: two runs of it gave other bits (digest {:016x}, state {:016x}, then {:016x}, {:016x}), so none of them "
          "can be trusted; see what `heddle selftest` says",
          c.name, best.digest, best.state_digest, m.digest, m.state_digest));
    }
    if (m.wall_s < best.wall_s) best = m;
  }
  return best;
}

}  // namespace heddle::bench
