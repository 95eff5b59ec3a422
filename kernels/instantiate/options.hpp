// How a World is to be simulated: none of it changes a result.
#pragma once

#include <stdexcept>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

enum class Device : u8 { cpu = 0, gpu = 1 };

/// Every tick is shorter than this, 134 us: arrival keys hold 28 bits of picoseconds.
inline constexpr TimePs kTickLimitPs = TimePs{1} << 27;

/// How many ticks a tick group may run before others receive its updates: rings of pause changes have room for those
/// that are published meanwhile.
inline constexpr u32 kMaxBatchTicks = 3;

/// A share of a World that one process simulates: the nodes of one rank. Links to others' nodes are cut.
struct Part {
  std::vector<u32> rank_of_node;  // [nodes of the World]; empty: one process has all of them
  u32 rank = 0;
  TimePs period_ps = 0;  // longest time between two exchanges: at most half of every lambda and phi of a cut link, and
                         // half of failure_notice_ps() (partition/exchange)
  bool words_on_device = false;  // what carries words between parts reaches into a GPU's memory
};

/// The processes of a run on one machine, which share its GPUs.
struct LocalProcesses {
  u32 number = 0;  // of this one, from 0
  u32 count = 1;
};

struct EngineOptions {
  Device device = Device::cpu;
  u32 threads = 1;
  u32 sharing_from_nodes = 48;  // a tick like one with fewer busy nodes is not worth waking other threads for; 0: all
                                // take part in all (tests)
  u32 max_batch_ticks = kMaxBatchTicks;  // of tick groups (backends/tick_groups.hpp); 1: one barrier a tick
  bool trace = false;                    // departures enter the digest too
  u32 recorded_kinds = 0;                // bit mask of EventKind to keep for take_events()
  bool check = false;     // verify invariants after every tick (slow); a violation ends the run with an error
  bool shuffled = false;  // testing team: every phase in another order
  u64 shuffle_seed = 1;
  u64 numbering_seed = 0;      // not 0: nodes are numbered in another order inside; must change nothing
  u64 memory_limit_bytes = 0;  // for the state with its queued packets; 0 = 80 % of the machine's memory
  LocalProcesses local = {};
  Part part = {};
};

/// A run that has begun cannot go on for want of room. Nothing is wrong with the program: what() says what to change.
struct CapacityError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace heddle
