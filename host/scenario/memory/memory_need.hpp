// The memory need of a run, before any is allocated.
#pragma once

#include <string>
#include <vector>

#include "host/scenario/workload/counts.hpp"

namespace heddle {

/// Bytes of one process that simulates the whole World. All except packets follow from numbers of entities.
struct MemoryNeed {
  struct Part {
    u64 table_bytes = 0;  // the World, which every rank holds whole
    u64 state_bytes = 0;  // the engine's, which is divided among ranks
    u64 bytes() const { return table_bytes + state_bytes; }
  };
  WorkloadCounts counts;
  Part fabric, messages, qps, collectives;
  u64 on_use_bytes = 0;   // state of connections in no table, at most: created on first use
  u64 making_bytes = 0;   // needed in addition while the tables are built
  u64 outcome_bytes = 0;  // in addition to tables and state: completion state, and at the end the outcome of everything

  u64 table_bytes() const {
    return fabric.table_bytes + messages.table_bytes + qps.table_bytes + collectives.table_bytes;
  }
  u64 state_bytes() const {
    return fabric.state_bytes + messages.state_bytes + qps.state_bytes + collectives.state_bytes;
  }
};

/// The need of a World whose fabric and routing are set, with a workload of these counts. Within a few percent; state
/// is what Engine::memory_bytes() gives at the start.
MemoryNeed memory_need(const World& world, const WorkloadCounts& counts);

/// The program itself with its libraries, its stack and small buffers: a run of four endpoints takes 30.8 MB.
inline constexpr u64 kProgramBytes = 31'000'000;

/// A forecast of memory is the sum of its parts plus a twelfth: forecasts of packets were up to 6 % too low.
inline constexpr u64 with_margin(u64 bytes) { return bytes + bytes / 12; }
/// The inverse: the sum of parts that a limit allows.
inline constexpr u64 without_margin(u64 bytes) { return bytes - bytes / 13; }

/// The peak memory of a process with so much state and packets, including the margin.
u64 peak_bytes(const MemoryNeed& need, u64 state_and_packets_bytes);

/// The least that a process takes when `ranks` share the state out: nothing is queued. 0 ranks: no state is made.
u64 min_peak_bytes(const World& world, const MemoryNeed& need, u32 ranks);

/// The part of the state whose pages are never touched: pause changes at nodes that never send PAUSE. `pauses`: [node]
/// whether it may.
u64 unused_pause_bytes(const World& world, const std::vector<bool>& pauses);

/// How many times the state must fit into a process: 1; 3 with a measuring controller, as the state also exists as
/// records, of up to twice its size, while an engine with other routes is built (RankedEngine::go_on_with).
u64 times_state(const World& world);

/// The memory that a process may use, and the source of the limit ("--memory 2GiB").
struct MemoryBudget {
  u64 limit_bytes = ~u64{0};
  std::string said_by;
  u32 ranks = 1;  // ranks that share the state; 0: none is built, as in `heddle check`
};

/// Throws ConfigError, naming the parts and what to try, when the process would exceed the budget before anything
/// queues.
void check_memory(const World& world, const MemoryNeed& need, const MemoryBudget& budget);

}  // namespace heddle
