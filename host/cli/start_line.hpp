// The line printed at the start of a run: the World, the machine and the memory.
#pragma once

#include <string>

#include "host/check/estimates/cost.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct RankReport {
  u32 ranks = 1;
  std::string exchange;  // "by node (2 nodes)"; with several ranks
};

/// "512 GPUs, 50 switches, 1 job of 5 all-reduces; 2 threads of 2 cores; 413.2 MB of 20.1 GB; about 55 M packet-hops".
/// `memory_bytes`: the engine's state of all ranks before the first packet.
std::string start_line(const World& world, const EngineOptions& options, const RankReport& ranks, u64 memory_bytes,
                       const Cost& cost);

}  // namespace heddle
