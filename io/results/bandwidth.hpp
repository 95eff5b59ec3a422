// Collective times as nccl-tests reports them.
#pragma once

#include <string_view>

#include "kernels/world/world.hpp"

namespace heddle {

struct Outcome;

/// Times and bandwidths of one collective. Bandwidths are 0 while it is not finished.
struct CollectiveTiming {
  TimePs start_ps = -1;   // first rank enters
  TimePs finish_ps = -1;  // last rank finishes
  double time_us = 0;
  double algbw_GBps = 0;           // bytes / time
  double busbw_GBps = 0;           // algbw * bus_factor
  double transfer_busbw_GBps = 0;  // bytes / (time from the last rank's entry on) * bus_factor
};

/// algbw to busbw for `ranks` GPUs. Source: nccl-tests, doc/PERFORMANCE.md and src/*.cu (GetBw functions).
double bus_factor(CollectiveKind kind, u32 ranks);

CollectiveTiming collective_timing(const World& world, const Outcome& outcome, u32 collective);

// The names of these in configurations, tables and files; "" for values after the last.
/// "all_reduce", "all_gather", ...
std::string_view collective_name(CollectiveKind kind);
/// "ring", "tree" or "p2p".
std::string_view algorithm_name(Algorithm algorithm);
/// "simple", "ll" or "ll128".
std::string_view protocol_name(Protocol protocol);

}  // namespace heddle
