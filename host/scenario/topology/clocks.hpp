// The clocks of a run: slot, epoch, tick, horizon, and the time after which a queue counts as stuck (MODEL.md, 3).
#pragma once

#include <array>

#include "kernels/base/parameter.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// [simulation]
struct SimulationOptions {
  u64 seed = 1;
  TimePs horizon_ps = 0;
  TimePs tick_ps = 0;
  TimePs slot_ps = 1 << 15;
  TimePs epoch_ps = 1 << 19;
  TimePs stuck_after_ps = 10'000'000'000;
};

inline const std::array kSimulationParameters = {
    Parameter<SimulationOptions>{.key = "seed",
                                 .field = &SimulationOptions::seed,
                                 .help = "of every use of chance: hashing, marking, jitter, generators, placement",
                                 .source = "kernels/MODEL.md, 1.4"},
    Parameter<SimulationOptions>{.key = "horizon",
                                 .field = &SimulationOptions::horizon_ps,
                                 .quantity = Quantity::time_ps,
                                 .max = 4e18,
                                 .help = "only instants before it are simulated; 0 = until the workload is done",
                                 .source = "kernels/MODEL.md, 10.2"},
    Parameter<SimulationOptions>{.key = "tick",
                                 .field = &SimulationOptions::tick_ps,
                                 .quantity = Quantity::time_ps,
                                 .max = 1e12,
                                 .help = "step of the engine, at most every latency; changes no result; 0 = the "
                                         "largest possible",
                                 .source = "kernels/MODEL.md, 3.1"},
    Parameter<SimulationOptions>{.key = "slot",
                                 .field = &SimulationOptions::slot_ps,
                                 .quantity = Quantity::time_ps,
                                 .min = 1,
                                 .max = 1099511627776.0,
                                 .help = "grid of PFC decisions; a power of two of picoseconds",
                                 .source = "engineering judgement: 32.768 ns, less than a 4 KiB packet at 400G"},
    Parameter<SimulationOptions>{.key = "epoch",
                                 .field = &SimulationOptions::epoch_ps,
                                 .quantity = Quantity::time_ps,
                                 .min = 1,
                                 .max = 1e12,
                                 .help = "grid of dynamic thresholds; a multiple of the slot",
                                 .source = "engineering judgement: 2^19 ps"},
    Parameter<SimulationOptions>{.key = "stuck_after",
                                 .field = &SimulationOptions::stuck_after_ps,
                                 .quantity = Quantity::time_ps,
                                 .min = 1e6,
                                 .max = 1e15,
                                 .help = "a queue that is paused for so long without a departure is stuck: a cycle of "
                                         "such queues ends the run as a deadlock, others are warned of",
                                 .source = "engineering judgement: 10 ms"},
};

/// The bound on the tick, for messages and `check`.
struct TickBound {
  TimePs bound_ps = kNever;
  LinkId link = kNone;  // kNone: no link, or NVLink
  bool pause = false;   // bounded by the link's phi, not its lambda
  bool nvlink = false;
  bool handover = false;  // of programs to those that send their messages
};

/// The least latency of the world between two nodes.
TickBound tick_bound(const World& world);

/// "lambda of gpu0 -> rtsw0 (715 ns)".
std::string describe(const TickBound& bound, const World& world);

/// Slot, epoch, horizon and the time limit of stuck queues, checked; headrooms need them before the tick is known.
/// Throws ConfigError.
Clocks sampling_clocks(const SimulationOptions& options);

/// All clocks. Needs the World's fabric and collectives. Throws ConfigError: epoch no multiple of the slot, a requested
/// tick that does not divide the epoch or is larger than a latency (the link is named).
Clocks choose_clocks(const SimulationOptions& options, const World& world);

}  // namespace heddle
