// One CPU worker's share of a span of ticks, for any team. Each team is instantiated in a file of its own.
#pragma once

#include <span>
#include <vector>

#include "kernels/backends/clusters.hpp"
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
  u32 busy_ticks = 0;       // of a span, in which one of them had: a bit each
  char padding[64] = {};    // workers do not share cache lines
};

/// Ticks that clusters go through before they hear of each other; all have the parity of the first.
struct Span {
  Tick tick[kMostSpanTicks];
  u32 ticks = 0;
  std::span<const Tick> all() const { return {tick, ticks}; }
  TimePs end_ps() const { return tick[ticks - 1].to; }
};

/// What the workers share: clusters not taken yet in this span, and when the endpoints of each word of news have
/// something to do.
struct Grab {
  Grab(const View& view, Clusters&& of)
      : nodes(std::move(of)), alone(nodes.first_alone), clusters(nodes.first_cluster), nearby(view) {
    nearby.near_ports = nodes.near_ports.data();
  }

  const Clusters nodes;
  Untaken alone, clusters;            // of `nodes`
  View nearby;                        // in ticks of a span but the last
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

/// One worker's work in a span.
template <class Team>
class Share {
 public:
  Share(const Team& team, const View& v, Worker& w, Grab& grab, const Span& span)
      : team_(team), v_(v), w_(w), grab_(grab), span_(span) {}

  /// Takes clusters until none are left, runs their nodes that are due, and notes it in the worker's account.
  void run() {
    const auto take_lone = [&](u32 place) { go_through(grab_.nodes.alone[place]); };
    const auto take_cluster = [&](u32 i) { go_through(grab_.nodes[i]); };
    grab_.alone.take_own(w_.number, kSwitchesPerGrab, take_lone);
    grab_.clusters.take_own(w_.number, 1, take_cluster);
    grab_.alone.take_others(w_.number, kSwitchesPerGrab, take_lone);
    grab_.clusters.take_others(w_.number, 1, take_cluster);
  }

 private:
  void note(TimePs next) { w_.next_ps = next < w_.next_ps ? next : w_.next_ps; }
  bool is_last(const Tick& tick) const { return tick.to == span_.end_ps(); }
  void count(bool happened, const Tick& tick) {
    ++w_.nodes_run;
    w_.busy_ticks |= 1u << (&tick - span_.tick);
    if (happened && is_last(tick)) note(span_.end_ps());  // to be heard in the next span
  }
  /// Queues may have lost packets, and the run ends.
  bool memory_is_used_up() const { return global_load(*v_.pool.exhausted) != 0; }

  /// Within a span it hears nothing.
  void go_through(u32 lone_switch) {
    hear(lone_switch, span_.tick[0]);
    for (const Tick& tick : span_.all()) {
      if (!tick.first && memory_is_used_up()) break;
      run(lone_switch, tick);
    }
    note(v_.next_ps[lone_switch]);
    if (has_told(v_, lone_switch)) note(span_.end_ps());
  }

  /// All of a cluster hear before one of them tells anything: they would hear that, too.
  void go_through(const Cluster& cluster) {
    const u32 ran_before = w_.nodes_run;
    bool told = true;
    for (const Tick& tick : span_.all()) {
      if (!tick.first && memory_is_used_up()) break;
      if (told) hear(cluster, tick);
      const u32 before = w_.nodes_run;
      for (const u32 node : cluster.switches) run(node, tick);
      for (const u32 group : cluster.groups) run_group(group, tick);
      told = w_.nodes_run != before;
    }
    for (const u32 node : cluster.switches) note(v_.next_ps[node]);
    for (const u32 group : cluster.groups) note(grab_.group_next_ps[group]);
    if (w_.nodes_run == ran_before) return;
    for (const u32 node : cluster.switches)
      if (has_told(v_, node)) note(span_.end_ps());
  }

  void hear(const Cluster& cluster, const Tick& tick) const {
    if (!tick.first) agree_nearby(cluster, tick.parity ^ 1);
    for (const u32 node : cluster.switches) hear(node, tick);
    for (const u32 group : cluster.groups) hear_group(group, tick.parity);
  }

  /// What was told within the cluster, and written under this parity, is what all of it read.
  void agree_nearby(const Cluster& cluster, u32 written) const {
    for (const u32 node : cluster.switches) {
      for (u32 w = v_.first_port_word[node]; w < v_.first_port_word[node + 1]; ++w) {
        const u64 near = grab_.nodes.near_ports[w];
        for (u64 left = v_.port_told[w] & near; left != 0; left &= left - 1)
          agree<Team>(v_, v_.port_word_link[w] + lowest_bit(left), written);
        v_.port_told[w] &= ~near;
      }
    }
    for (const u32 group : cluster.groups) {
      for (u32 left = v_.endpoint_news[written ^ 1][group]; left != 0; left &= left - 1) {
        const u32 e = group * kEndpointsPerWord + lowest_bit(left);
        agree_on_cable<Team>(v_, e, written);
        if (v_.settings.any_nvlink) agree_on_nvlinks(v_, e, written);
      }
    }
  }

  void hear(u32 node, const Tick& tick) const {
    SwitchNews news;
    hear_switches(team_, v_, node, node + 1, tick, news);
  }

  void run(u32 node, const Tick& tick) {
    if (v_.next_ps[node] < tick.to) count(tick_switches(team_, view_in(tick), w_.scratch, node, node + 1, tick), tick);
  }

  void hear_group(u32 group, u32 parity) const {
    const u32 first = group * kEndpointsPerWord;
    u32& with_news = v_.endpoint_news[parity][group];
    if (with_news == 0) return;
    if (team_.prefetches()) prefetch_told_to_endpoints(v_, first, with_news, parity);
    for (u32 left = with_news; left != 0; left &= left - 1) hear_endpoint<Team>(v_, first + lowest_bit(left), parity);
    with_news = 0;
    grab_.group_next_ps[group] = 0;
  }

  void run_group(u32 group, const Tick& tick) {
    TimePs& group_next_ps = grab_.group_next_ps[group];
    if (group_next_ps >= tick.to) return;
    const u32 first = group * kEndpointsPerWord;
    const u32 end = v_.endpoints - first < kEndpointsPerWord ? v_.endpoints : first + kEndpointsPerWord;
    if (team_.prefetches()) prefetch_endpoints(v_, first, end, tick.to, tick.parity);
    for (u32 due = due_endpoints(v_, first, end, tick.to); due != 0; due &= due - 1)
      count(tick_endpoint(team_, view_in(tick), first + lowest_bit(due), tick), tick);
    group_next_ps = next_of_endpoints(v_, first, end);
  }

  /// The last tick of a span tells everybody what the next span hears.
  const View& view_in(const Tick& tick) const { return is_last(tick) ? v_ : grab_.nearby; }

  const Team& team_;
  const View& v_;
  Worker& w_;
  Grab& grab_;
  const Span& span_;
};

/// Plain runs only (state/plain.hpp).
void run_share_plain(const View& v, Worker& w, Grab& grab, const Span& span);
void run_share_serial(const View& v, Worker& w, Grab& grab, const Span& span);
void run_share_shuffled(const View& v, Worker& w, Grab& grab, const Span& span, u64 seed);

}  // namespace heddle
