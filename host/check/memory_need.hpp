// What memory a run takes, before it takes any.
#pragma once

#include <string>
#include <vector>

#include "host/workload/counts.hpp"

namespace heddle {

/// Bytes of one process that simulates the whole World. All but packets follow from numbers of entities.
struct MemoryNeed {
  struct Part {
    u64 table_bytes = 0;  // the World, which every rank has whole
    u64 state_bytes = 0;  // the engine's, which ranks share out
    u64 bytes() const { return table_bytes + state_bytes; }
  };
  Part fabric, messages, qps, collectives;
  u64 on_use_bytes = 0;  // state of connections in no table, at most: made when they are first used

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

/// How often a process must have room for its state: 1; 3 when a controller measures, as it is also there as records,
/// of up to twice its size, while an engine with other routes is made (RankedEngine::go_on_with).
u64 times_state(const World& world);

/// The program itself with its libraries, and the result file's buffers for so many links and messages.
u64 program_bytes(u64 links, u64 messages);

/// What a process may use, and what says so ("--memory 2GiB").
struct MemoryBudget {
  u64 limit_bytes = ~u64{0};
  std::string said_by;
  u32 ranks = 1;  // share the state out; 0: none is made, as in `heddle check`
};

/// Throws ConfigError, naming the parts and what to try, when tables and state alone exceed the budget.
void check_memory(const World& world, const WorkloadCounts& counts, const MemoryBudget& budget);

}  // namespace heddle
