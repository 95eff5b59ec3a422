// One CPU worker's share of a tick, for any team. Each team is instantiated in a file of its own.
#pragma once

#include <atomic>
#include <vector>

#include "kernels/tick/tick.hpp"

namespace heddle {

inline constexpr u32 kSwitchesPerGrab = 4;
inline constexpr u32 kEndpointsPerGrab = 32;

/// What one worker owns.
struct Worker {
  Tally tally;
  std::vector<Event> events;
  std::vector<u64> scratch_memory;
  SwitchScratch scratch;
  TimePs next_ps = kNever;  // earliest instant of interest of the nodes it looked at
  u32 nodes_run = 0;        // of them, how many had something to do
  char padding[64] = {};    // workers do not share cache lines
};

/// Nodes not taken yet in this tick.
struct Grab {
  std::atomic<u32> next_switch{0}, next_endpoint{0};
};

/// Calls f(i) for runs of `grab` indices below `count` that no other worker has taken.
template <class F>
void take_each(std::atomic<u32>& cursor, u32 count, u32 grab, const F& f) {
  for (u32 first = cursor.fetch_add(grab, std::memory_order_relaxed); first < count;
       first = cursor.fetch_add(grab, std::memory_order_relaxed)) {
    const u32 end = count - first < grab ? count : first + grab;
    for (u32 i = first; i < end; ++i) f(i);
  }
}

/// Takes nodes until none are left, and runs those that are due.
template <class Team>
void run_share(const Team& team, const View& v, Worker& w, Grab& grab, const Tick& tick) {
  w.next_ps = kNever;
  w.nodes_run = 0;
  const auto note = [&](u32 node) { w.next_ps = v.next_ps[node] < w.next_ps ? v.next_ps[node] : w.next_ps; };
  take_each(grab.next_switch, v.switches, kSwitchesPerGrab, [&](u32 node) {
    if (is_due(v, node, tick)) {
      tick_switches(team, v, w.scratch, node, node + 1, tick);
      ++w.nodes_run;
    }
    note(node);
  });
  take_each(grab.next_endpoint, v.endpoints, kEndpointsPerGrab, [&](u32 e) {
    if (is_due(v, v.switches + e, tick)) {
      tick_endpoint(team, v, e, tick);
      ++w.nodes_run;
    }
    note(v.switches + e);
  });
}

void run_share_serial(const View& v, Worker& w, Grab& grab, const Tick& tick);
void run_share_shuffled(const View& v, Worker& w, Grab& grab, const Tick& tick, u64 seed);

}  // namespace heddle
