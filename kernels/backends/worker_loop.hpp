// The loop of one CPU worker in a tick batch, for any team. Each team is instantiated in a file of its own.
#pragma once

#include <span>
#include <vector>

#include "kernels/backends/tick_groups.hpp"
#include "kernels/backends/work_queue.hpp"
#include "kernels/state/prefetch.hpp"
#include "kernels/tick/by_ports.hpp"
#include "kernels/tick/tick.hpp"

namespace heddle {

inline constexpr u32 kSwitchesPerTake = 4;

/// The data of one worker.
struct Worker {
  u32 number = 0;
  Tally tally;
  std::vector<Event> events;
  std::vector<u64> scratch_memory;
  SwitchScratch scratch{};
  TimePs next_ps = kNever;  // earliest next event of the nodes that it ran
  u32 nodes_run = 0;        // how many of them had something to do
  u32 busy_ticks = 0;       // a bit per tick of the batch in which a node had something to do
  char padding[64] = {};    // workers do not share cache lines
};

/// Ticks that tick groups run before they receive updates of each other; all have the parity of the first.
struct TickBatch {
  Tick tick[kMaxBatchTicks];
  u32 ticks = 0;
  std::span<const Tick> all() const { return {tick, ticks}; }
  TimePs end_ps() const { return tick[ticks - 1].to; }
};

/// Data shared by workers: the work queues of the batch, and the next event of the endpoints of each word of updates.
struct SharedWork {
  SharedWork(const View& view, TickGroups&& of)
      : nodes(std::move(of)), alone(nodes.first_alone), tick_groups(nodes.first_group_of_worker), nearby(view) {
    nearby.near_ports = nodes.near_ports.data();
  }

  const TickGroups nodes;
  WorkQueue alone, tick_groups;      // indices into `nodes`
  View nearby;                       // the View in all ticks of a batch but the last
  std::vector<TimePs> word_next_ps;  // 0: unknown
  Bins bins;                         // of the testing team, where ticks may go by ports
  bool prefetches = false;           // the state is larger than the caches: prefetch what a tick reads
};

/// Bits of the endpoints [first, end) of one word of updates that have something to do before `to`.
inline u32 due_endpoints(const View& v, u32 first, u32 end, TimePs to) {
  const TimePs* next_ps = v.next_ps + v.switches + first;
  u32 due = 0;
  for (u32 i = 0; i < end - first; ++i) due |= static_cast<u32>(next_ps[i] < to) << i;
  return due;
}

/// The earliest next event of the endpoints [first, end).
inline TimePs next_of_endpoints(const View& v, u32 first, u32 end) {
  const TimePs* next_ps = v.next_ps + v.switches + first;
  TimePs next = kNever;
  for (u32 i = 0; i < end - first; ++i) next = next_ps[i] < next ? next_ps[i] : next;
  return next;
}

template <class Team>
class WorkerLoop {
 public:
  WorkerLoop(const Team& team, const View& v, Worker& w, SharedWork& work, const TickBatch& batch)
      : team_(team), v_(v), w_(w), work_(work), batch_(batch) {}

  /// Takes lone switches and tick groups until none are left, and runs their nodes that are due.
  void run() {
    const auto take_lone = [&](u32 place) { go_through(work_.nodes.alone[place]); };
    const auto take_group = [&](u32 i) { go_through(work_.nodes[i]); };
    work_.alone.take_own(w_.number, kSwitchesPerTake, take_lone);
    work_.tick_groups.take_own(w_.number, 1, take_group);
    work_.alone.take_others(w_.number, kSwitchesPerTake, take_lone);
    work_.tick_groups.take_others(w_.number, 1, take_group);
  }

 private:
  void note(TimePs next) { w_.next_ps = next < w_.next_ps ? next : w_.next_ps; }
  bool is_last(const Tick& tick) const { return tick.to == batch_.end_ps(); }
  void count(bool happened, const Tick& tick) {
    ++w_.nodes_run;
    w_.busy_ticks |= 1u << (&tick - batch_.tick);
    if (happened && is_last(tick)) note(batch_.end_ps());  // other groups receive it in the next batch
  }
  /// Whether queues may have lost packets, which ends the run.
  bool memory_is_used_up() const { return global_load(*v_.pool.exhausted) != 0; }

  /// Runs a lone switch, which receives updates only at the beginning of the batch.
  void go_through(u32 lone_switch) {
    receive_updates(lone_switch, batch_.tick[0]);
    for (const Tick& tick : batch_.all()) {
      if (!tick.first && memory_is_used_up()) break;
      run(lone_switch, tick);
    }
    note(v_.next_ps[lone_switch]);
    if (has_published(v_, lone_switch)) note(batch_.end_ps());
  }

  /// All nodes of the group receive updates before one of them publishes, or an update would arrive a tick early.
  void go_through(const TickGroup& group) {
    const u32 ran_before = w_.nodes_run;
    bool published = true;
    for (const Tick& tick : batch_.all()) {
      if (!tick.first && memory_is_used_up()) break;
      if (published) receive_updates(group, tick);
      const u32 before = w_.nodes_run;
      for (const u32 node : group.switches) run(node, tick);
      for (const u32 word : group.words) run_word(word, tick);
      published = w_.nodes_run != before;
    }
    for (const u32 node : group.switches) note(v_.next_ps[node]);
    for (const u32 word : group.words) note(work_.word_next_ps[word]);
    if (w_.nodes_run == ran_before) return;
    for (const u32 node : group.switches)
      if (has_published(v_, node)) note(batch_.end_ps());
  }

  void receive_updates(const TickGroup& group, const Tick& tick) const {
    if (!tick.first) sync_buffers_within(group, tick.parity ^ 1);
    for (const u32 node : group.switches) receive_updates(node, tick);
    for (const u32 word : group.words) receive_updates_of_word(word, tick.parity);
  }

  /// Copies what was published within the group under parity `written` into the buffers that the group reads.
  void sync_buffers_within(const TickGroup& group, u32 written) const {
    for (const u32 node : group.switches) {
      for (u32 w = v_.first_port_word[node]; w < v_.first_port_word[node + 1]; ++w) {
        const u64 near = work_.nodes.near_ports[w];
        for (u64 left = v_.port_published[w] & near; left != 0; left &= left - 1)
          sync_buffers<Team>(v_, v_.port_word_link[w] + lowest_bit(left), written);
        v_.port_published[w] &= ~near;
      }
    }
    for (const u32 word : group.words) {
      for (u32 left = v_.endpoint_updates[written ^ 1][word]; left != 0; left &= left - 1) {
        const u32 e = word * kEndpointsPerWord + lowest_bit(left);
        sync_cable_buffers<Team>(v_, e, written);
        if (v_.settings.any_nvlink) sync_nvlink_buffers(v_, e, written);
      }
    }
  }

  void receive_updates(u32 node, const Tick& tick) const {
    SwitchUpdates updates;
    receive_switch_updates(team_, v_, node, node + 1, tick, updates);
  }

  void run(u32 node, const Tick& tick) {
    if (v_.next_ps[node] < tick.to) count(tick_switch(node, tick), tick);
  }

  bool tick_switch(u32 node, const Tick& tick) {
    if constexpr (Team::kInStep) {
      if (work_.bins.present() && team_.goes_by_ports())
        return tick_switch_by_ports(team_, view_in(tick), work_.bins, w_.scratch, node, tick);
    }
    return tick_switches(team_, view_in(tick), w_.scratch, node, node + 1, tick);
  }

  void receive_updates_of_word(u32 word, u32 parity) const {
    const u32 first = word * kEndpointsPerWord;
    u32& with_updates = v_.endpoint_updates[parity][word];
    if (with_updates == 0) return;
    if (team_.prefetches()) prefetch_updates_of_endpoints(v_, first, with_updates, parity);
    for (u32 left = with_updates; left != 0; left &= left - 1)
      receive_endpoint_updates<Team>(v_, first + lowest_bit(left), parity);
    with_updates = 0;
    work_.word_next_ps[word] = 0;
  }

  void run_word(u32 word, const Tick& tick) {
    TimePs& word_next_ps = work_.word_next_ps[word];
    if (word_next_ps >= tick.to) return;
    const u32 first = word * kEndpointsPerWord;
    const u32 end = v_.endpoints - first < kEndpointsPerWord ? v_.endpoints : first + kEndpointsPerWord;
    if (team_.prefetches()) prefetch_endpoints(v_, first, end, tick.to, tick.parity);
    for (u32 due = due_endpoints(v_, first, end, tick.to); due != 0; due &= due - 1)
      count(tick_endpoint(team_, view_in(tick), first + lowest_bit(due), tick), tick);
    word_next_ps = next_of_endpoints(v_, first, end);
  }

  /// Only the last tick of a batch publishes to other groups.
  const View& view_in(const Tick& tick) const { return is_last(tick) ? v_ : work_.nearby; }

  const Team& team_;
  const View& v_;
  Worker& w_;
  SharedWork& work_;
  const TickBatch& batch_;
};

/// Plain runs only (state/plain.hpp).
void run_worker_plain(const View& v, Worker& w, SharedWork& work, const TickBatch& batch);
void run_worker_serial(const View& v, Worker& w, SharedWork& work, const TickBatch& batch);
void run_worker_shuffled(const View& v, Worker& w, SharedWork& work, const TickBatch& batch, u64 seed);
/// Plain runs only.
void run_worker_in_step(const View& v, Worker& w, SharedWork& work, const TickBatch& batch, u64 seed);

}  // namespace heddle
