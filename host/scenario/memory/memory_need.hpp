// What memory a run takes, before it takes any.
#pragma once

#include <string>
#include <vector>

#include "host/scenario/workload/counts.hpp"

namespace heddle {

/// Bytes of one process that simulates the whole World. All but packets follow from numbers of entities.
struct MemoryNeed {
  struct Part {
    u64 table_bytes = 0;  // the World, which every rank has whole
    u64 state_bytes = 0;  // the engine's, which ranks share out
    u64 bytes() const { return table_bytes + state_bytes; }
  };
  Part fabric, messages, qps, collectives;
  u64 on_use_bytes = 0;   // state of connections in no table, at most: made when they are first used
  u64 making_bytes = 0;   // beside the tables while they are made
  u64 outcome_bytes = 0;  // beside tables and state: what was completed, and at the end what becomes of everything

  u64 table_bytes() const {
    return fabric.table_bytes + messages.table_bytes + qps.table_bytes + collectives.table_bytes;
  }
  u64 state_bytes() const {
    return fabric.state_bytes + messages.state_bytes + qps.state_bytes + collectives.state_bytes;
  }
};

/// Of a World whose fabric and routing are there, with a workload of so many. Within a few percent; state is what
/// Engine::memory_bytes() gives at the start.
MemoryNeed memory_need(const World& world, const WorkloadCounts& counts);

/// The program itself with its libraries, its stack and small buffers.
inline constexpr u64 kProgramBytes = 28'000'000;

/// A forecast of memory is the sum of its parts and a twelfth: those of packets were up to 6 % too low.
inline constexpr u64 with_margin(u64 bytes) { return bytes + bytes / 12; }
/// What the parts may be for that.
inline constexpr u64 without_margin(u64 bytes) { return bytes - bytes / 13; }

/// The most that a process takes at any time, with so much of state and packets, and the margin.
u64 peak_bytes(const MemoryNeed& need, u64 state_and_packets_bytes);

/// The least that a process takes when `ranks` share the state out: nothing is queued. 0 ranks: no state is made.
u64 least_peak_bytes(const World& world, const WorkloadCounts& counts, u32 ranks);

/// Part of the state that no page is taken for: changes of pause at nodes that never send PAUSE. `pauses`:
/// [node] whether it may.
u64 unused_pause_bytes(const World& world, const std::vector<bool>& pauses);

/// How often a process must have room for its state: 1; 3 when a controller measures, as it is also there as records,
/// of up to twice its size, while an engine with other routes is made (RankedEngine::go_on_with).
u64 times_state(const World& world);

/// What a process may use, and what says so ("--memory 2GiB").
struct MemoryBudget {
  u64 limit_bytes = ~u64{0};
  std::string said_by;
  u32 ranks = 1;  // share the state out; 0: none is made, as in `heddle check`
};

/// Throws ConfigError, naming the parts and what to try, when the process would exceed the budget before anything
/// queues.
void check_memory(const World& world, const WorkloadCounts& counts, const MemoryBudget& budget);

}  // namespace heddle
