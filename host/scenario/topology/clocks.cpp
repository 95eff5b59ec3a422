#include "host/scenario/topology/clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "host/base/error.hpp"
#include "host/scenario/topology/assemble.hpp"
#include "kernels/engine/engine.hpp"

namespace heddle {
namespace {

/// Divisors of the slots per epoch, then powers of two times these: ticks that nest with slots and epochs. Latencies
/// beyond the engine's limit do not lengthen the tick.
TimePs largest_tick(const Clocks& clocks, TimePs latency_ps) {
  const TimePs bound_ps = std::min(latency_ps, kTickLimitPs - 1);
  const TimePs slots = clocks.epoch_ps >> clocks.slot_log2_ps;
  TimePs fewest = 0;  // ticks of an epoch; divisors come in pairs n and slots / n, so n stops at the root of `slots`
  for (TimePs n = 1; n <= slots / n; ++n) {
    if (slots % n != 0) continue;
    if (clocks.epoch_ps / n <= bound_ps) return clocks.epoch_ps / n;
    if (clocks.epoch_ps / (slots / n) <= bound_ps) fewest = slots / n;
  }
  if (fewest != 0) return clocks.epoch_ps / fewest;
  TimePs tick = TimePs{1} << clocks.slot_log2_ps;
  while (tick > bound_ps) tick >>= 1;
  return tick;
}

void check_requested_tick(TimePs tick, const Clocks& clocks, const TickBound& bound, const World& world) {
  if (tick > bound.bound_ps) {
    throw ConfigError(
        fmt::format("simulation.tick: {} ps is longer than the {}; nodes advance through a tick without "
                    "seeing each other, so it can be at most {} ps. Leave it at 0 to have it chosen",
                    tick, describe(bound, world), largest_tick(clocks, bound.bound_ps)));
  }
  const TimePs slot = TimePs{1} << clocks.slot_log2_ps;
  if (tick >= kTickLimitPs) {
    throw ConfigError(fmt::format(
        "simulation.tick: {} ps; the engine's ticks are shorter than {} ps, whatever the latencies. Leave it "
        "at 0 to have it chosen",
        tick, kTickLimitPs));
  }
  if (clocks.epoch_ps % tick != 0 || (tick % slot != 0 && slot % tick != 0)) {
    throw ConfigError(
        fmt::format("simulation.tick: {} ps does not nest with the slot of {} ps and the epoch of {} ps; "
                    "take a divisor of the epoch that is a multiple or a fraction of the slot, such as {} ps",
                    tick, slot, clocks.epoch_ps, largest_tick(clocks, std::min(tick, bound.bound_ps))));
  }
}

}  // namespace

TickBound tick_bound(const World& world) {
  TickBound bound;
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    const Link& link = world.fabric.links[l];
    if (link.lambda_ps < bound.bound_ps) bound = {.bound_ps = link.lambda_ps, .link = l};
    if (link.phi_ps < bound.bound_ps) bound = {.bound_ps = link.phi_ps, .link = l, .pause = true};
  }
  const TimePs nvlink_ps = world.collectives.settings.nvlink_latency_ps;
  if (uses_nvlink(world.collectives) && nvlink_ps < bound.bound_ps) bound = {.bound_ps = nvlink_ps, .nvlink = true};
  const ProgramPlan& programs = world.programs;
  if (!programs.batches.empty() && programs.handover_ps < bound.bound_ps)
    bound = {.bound_ps = programs.handover_ps, .handover = true};
  return bound;
}

std::string describe(const TickBound& bound, const World& world) {
  if (bound.handover) return fmt::format("workload.handover ({} ps)", bound.bound_ps);
  if (bound.nvlink) return fmt::format("NVLink latency ({} ps)", bound.bound_ps);
  if (bound.link == kNone) return "no latency";
  return fmt::format("{} latency of {} ({} ps)", bound.pause ? "pause" : "packet",
                     describe_link(world.fabric, bound.link), bound.bound_ps);
}

Clocks sampling_clocks(const SimulationOptions& options) {
  Clocks clocks;
  if (options.slot_ps < 1 || !std::has_single_bit(static_cast<u64>(options.slot_ps))) {
    throw ConfigError(fmt::format("simulation.slot: {} ps is no power of two; take {} ps", options.slot_ps,
                                  std::bit_floor(static_cast<u64>(std::max<TimePs>(options.slot_ps, 1)))));
  }
  if (options.epoch_ps < options.slot_ps || options.epoch_ps % options.slot_ps != 0) {
    throw ConfigError(fmt::format("simulation.epoch: {} ps is no multiple of the slot of {} ps; take {} ps",
                                  options.epoch_ps, options.slot_ps,
                                  (options.epoch_ps / options.slot_ps + 1) * options.slot_ps));
  }
  clocks.slot_log2_ps = static_cast<u32>(std::countr_zero(static_cast<u64>(options.slot_ps)));
  clocks.epoch_ps = options.epoch_ps;
  clocks.stuck_ps = options.stuck_after_ps;
  if (options.horizon_ps < 0) throw ConfigError("simulation.horizon: negative; give 0 for none");
  clocks.horizon_ps = options.horizon_ps == 0 ? kNever : options.horizon_ps;
  return clocks;
}

Clocks choose_clocks(const SimulationOptions& options, const World& world) {
  Clocks clocks = sampling_clocks(options);
  const TickBound bound = tick_bound(world);
  if (options.tick_ps != 0) check_requested_tick(options.tick_ps, clocks, bound, world);
  clocks.tick_ps = options.tick_ps != 0 ? options.tick_ps : largest_tick(clocks, bound.bound_ps);
  return clocks;
}

}  // namespace heddle
