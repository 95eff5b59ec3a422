// How to simulate a World: no option changes a result.
#pragma once

#include <stdexcept>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

enum class Device : u8 { cpu = 0, gpu = 1 };

/// Upper bound of a tick, 134 us: arrival keys hold 28 bits of picoseconds.
inline constexpr TimePs kTickLimitPs = TimePs{1} << 27;

/// Most ticks that a tick group runs before other groups receive its updates; rings of pause changes have room for
/// those published in between.
inline constexpr u32 kMaxBatchTicks = 3;

/// A share of a World that one process simulates: the nodes of one rank. Links to nodes of other ranks are cut.
struct Part {
  std::vector<u32> rank_of_node;  // [nodes of the World]; empty: one process has all nodes
  u32 rank = 0;
  TimePs period_ps = 0;  // longest time between two exchanges: at most half of every lambda and phi of a cut link, and
                         // half of failure_notice_ps() (partition/exchange)
  bool words_on_device = false;  // the exchange between parts can access GPU memory
};

/// The processes of a run on one machine, which share its GPUs.
struct LocalProcesses {
  u32 number = 0;  // of this process, from 0
  u32 count = 1;
};

struct EngineOptions {
  Device device = Device::cpu;
  u32 threads = 1;
  u32 sharing_from_nodes = 48;  // with fewer busy nodes in a tick, other threads are not woken for the next; 0: all
                                // threads take part in all ticks (tests)
  u32 max_batch_ticks = kMaxBatchTicks;  // of tick groups (backends/tick_groups.hpp); 1: one barrier a tick
  bool trace = false;                    // departures also enter the digest
  u32 recorded_kinds = 0;                // bit mask of EventKind to keep for take_events()
  bool check = false;     // verify invariants after every tick (slow); a violation ends the run with an error
  bool shuffled = false;  // testing team: every phase in another order
  u64 shuffle_seed = 1;
  u64 numbering_seed = 0;      // not 0: another internal order of nodes; must change nothing
  u64 memory_limit_bytes = 0;  // for the state with its queued packets; 0 = 80 % of the machine's memory
  LocalProcesses local = {};
  Part part = {};
};

/// A run lacks memory to continue. This is no defect of the program: what() says what to change.
struct CapacityError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace heddle
