// One CPU worker's share of a tick, for any team. Each team is instantiated in a file of its own.
#pragma once

#include <vector>

#include "kernels/backends/homes.hpp"
#include "kernels/backends/untaken.hpp"
#include "kernels/state/prefetch.hpp"
#include "kernels/tick/tick.hpp"

namespace heddle {

inline constexpr u32 kSwitchesPerGrab = 4;

/// What one worker owns.
struct Worker {
  u32 number = 0;
  Tally tally;
  std::vector<Event> events;
  std::vector<u64> scratch_memory;
  SwitchScratch scratch{};
  TimePs next_ps = kNever;  // earliest instant of interest of the nodes it looked at
  u32 nodes_run = 0;        // of them, how many had something to do
  char padding[64] = {};    // workers do not share cache lines
};

/// What the workers share: nodes not taken yet in this tick, and when the endpoints of each word of news
/// have something to do.
struct Grab {
  explicit Grab(const Homes& homes)
      : switches(homes.first_switch), groups(homes.first_group), switch_order(homes.switches) {}

  Untaken switches, groups;
  std::vector<u32> switch_order;      // [place in `switches`]
  std::vector<TimePs> group_next_ps;  // 0: unknown
  bool prefetches = false;            // what a tick reads does not stay in the caches until the next one
};

/// Which of the endpoints [first, end), of a word of news, have something to do before `to`: a bit each.
inline u32 due_endpoints(const View& v, u32 first, u32 end, TimePs to) {
  const TimePs* next_ps = v.next_ps + v.switches + first;
  u32 due = 0;
  for (u32 i = 0; i < end - first; ++i) due |= static_cast<u32>(next_ps[i] < to) << i;
  return due;
}

/// When the first of them has something to do.
inline TimePs next_of_endpoints(const View& v, u32 first, u32 end) {
  const TimePs* next_ps = v.next_ps + v.switches + first;
  TimePs next = kNever;
  for (u32 i = 0; i < end - first; ++i) next = next_ps[i] < next ? next_ps[i] : next;
  return next;
}

/// Takes nodes until none are left, runs those that are due, and notes it in the account of this tick.
template <class Team>
void run_share(const Team& team, const View& v, Worker& w, Grab& grab, const Tick& tick) {
  const auto note = [&](TimePs next) { w.next_ps = next < w.next_ps ? next : w.next_ps; };
  const auto count = [&](bool happened) {
    ++w.nodes_run;
    if (happened) note(tick.to);  // to be heard in the next tick
  };
  const auto take_switch = [&](u32 place) {
    const u32 node = grab.switch_order[place];
    SwitchNews news;
    if (hear_switches(team, v, node, node + 1, tick, news))
      count(tick_switches(team, v, w.scratch, node, node + 1, tick));
    note(v.next_ps[node]);
  };
  const auto take_group = [&](u32 group) {
    const u32 first = group * kEndpointsPerWord;
    u32& with_news = v.endpoint_news[tick.parity][group];
    TimePs& group_next_ps = grab.group_next_ps[group];
    if (with_news == 0 && group_next_ps >= tick.to) return note(group_next_ps);
    const u32 end = v.endpoints - first < kEndpointsPerWord ? v.endpoints : first + kEndpointsPerWord;
    if (team.prefetches()) prefetch_told_to_endpoints(v, first, with_news, tick.parity);
    for (u32 left = with_news; left != 0; left &= left - 1)
      hear_endpoint<Team>(v, first + lowest_bit(left), tick.parity);
    with_news = 0;
    if (team.prefetches()) prefetch_endpoints(v, first, end, tick.to, tick.parity);
    for (u32 due = due_endpoints(v, first, end, tick.to); due != 0; due &= due - 1)
      count(tick_endpoint(team, v, first + lowest_bit(due), tick));
    group_next_ps = next_of_endpoints(v, first, end);
    note(group_next_ps);
  };
  grab.switches.take_own(w.number, kSwitchesPerGrab, take_switch);
  grab.groups.take_own(w.number, 1, take_group);
  grab.switches.take_others(w.number, kSwitchesPerGrab, take_switch);
  grab.groups.take_others(w.number, 1, take_group);
}

/// Plain runs only (state/plain.hpp).
void run_share_plain(const View& v, Worker& w, Grab& grab, const Tick& tick);
void run_share_serial(const View& v, Worker& w, Grab& grab, const Tick& tick);
void run_share_shuffled(const View& v, Worker& w, Grab& grab, const Tick& tick, u64 seed);

}  // namespace heddle
