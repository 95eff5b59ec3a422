// A node receives, at the start of a tick, the updates that it and other nodes published in the last tick (MODEL.md,
// 4.1).
//
// Published state is kept in two buffers: a tick reads x[parity] and writes x[parity ^ 1]. The next tick copies this
// into the other buffer. Then both are equal until the node publishes again, and nodes without updates need not be
// visited.
// Where a tick group runs several ticks by itself (backends/tick_groups.hpp), a later tick reads x[parity] like the
// first: state published within the group is copied there in between, and its updates arrive there at once. Updates to
// and from other groups wait until the parity flips.
#pragma once

#include "kernels/collective/batches.hpp"
#include "kernels/collective/nvlink.hpp"
#include "kernels/fabric/rest.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/state/prefetch.hpp"

namespace heddle {

/// The interval [from, to) of a tick.
struct Tick {
  TimePs from = 0, to = 0;
  u32 parity = 0;
  bool first = true;  // the first of its batch, the only one with updates of other tick groups
};

/// Copies this link's published state (packets sent, packets taken, pauses) into the other buffer, so that both are
/// equal.
template <class Team>
HEDDLE_FN void sync_buffers(const View& v, u32 link, u32 parity) {
  const u32 classes = classes_of<Team>(v.settings), incoming = v.egress[link].reverse;
  for (u32 c = 0; c < classes; ++c) {
    v.published[parity ^ 1][link * classes + c] = v.published[parity][link * classes + c];
    v.head[parity ^ 1][incoming * classes + c] = v.head[parity][incoming * classes + c];
  }
  for (u32 p = 0; p < pfc_classes_of<Team>(v.settings); ++p) {
    const u32 a = incoming * pfc_classes_of<Team>(v.settings) + p;
    v.pause_tail[parity ^ 1][a] = v.pause_tail[parity][a];
  }
}

/// Receives the wake time that other nodes have set for `node`. Returns whether there was one.
HEDDLE_FN bool receive_wake_time(const View& v, u32 node, u32 parity) {
  if (v.wake_ps[parity][node] == kNever) return false;
  v.next_ps[node] = next_of_node(v, node, parity);
  v.wake_ps[parity][node] = kNever;
  return true;
}

/// Whether a port of switch `node` has published something in its last tick.
HEDDLE_FN bool has_published(const View& v, u32 node) {
  u64 ports = 0;
  for (u32 w = v.first_port_word[node]; w < v.first_port_word[node + 1]; ++w) ports |= v.port_published[w];
  return ports != 0;
}

/// Receives the updates of the ports of `words` words from `first` on.
template <class Team>
HEDDLE_FN void receive_port_updates(const Team& team, const View& v, u32 first, u32 words, const Tick& tick) {
  u64 *with_updates = v.port_updates[tick.parity] + first, *published = v.port_published + first;
  if (team.prefetches()) prefetch_updates_of_ports(v, first, with_updates, words, tick.parity);
  team.bits(with_updates, words, [&](u32 w, u32 bit) {
    const u32 link = v.port_word_link[first + w] + bit;
    if (v.port_next_ps[link] > tick.from)  // otherwise it is due in any case
      v.port_next_ps[link] = next_of_port<Team>(v, link, tick.from, tick.parity, tick.parity);
  });
  if (tick.first)
    team.bits(published, words,
              [&](u32 w, u32 bit) { sync_buffers<Team>(v, v.port_word_link[first + w] + bit, tick.parity); });
  team.each(words, [&](u32 w) {
    v.port_active[first + w] |= with_updates[w];
    with_updates[w] = 0;
    if (tick.first) published[w] = 0;
  });
}

/// Flags over a run of switches, shared by the team: any update, any switch due.
struct SwitchUpdates {
  u32 any, due;
};

/// Receives the updates of the switches [node, end). Returns whether any of them has something to do before tick.to.
template <class Team>
HEDDLE_FN bool receive_switch_updates(const Team& team, const View& v, u32 node, u32 end, const Tick& tick,
                                      SwitchUpdates& updates) {
  team.each(1, [&](u32) { updates = {0, 0}; });
  team.each(end - node, [&](u32 i) {
    if (receive_wake_time(v, node + i, tick.parity) || (tick.first && has_published(v, node + i))) updates.any = 1;
    if (v.next_ps[node + i] < tick.to) updates.due = 1;
  });
  if (updates.any) {
    const u32 first = v.first_port_word[node];
    receive_port_updates(team, v, first, v.first_port_word[end] - first, tick);
  }
  return updates.due != 0;
}

/// Copies the state that endpoint e has published on its cables into the other buffer.
template <class Team>
HEDDLE_FN void sync_cable_buffers(const View& v, u32 e, u32 parity) {
  bool& published = v.endpoint.nic[e].published;
  if (published) {
    const u32 first = v.first_link[v.switches + e], ports = Team::kPlain ? 1 : count_ports(v, e);
    for (u32 p = 0; p < ports; ++p) sync_buffers<Team>(v, first + p, parity);
  }
  published = false;
}

/// Receives the updates of an endpoint whose bit in View::endpoint_updates is set; the caller clears the bit.
template <class Team>
HEDDLE_FN void receive_endpoint_updates(const View& v, u32 e, u32 parity) {
  receive_wake_time(v, v.switches + e, parity);
  sync_cable_buffers<Team>(v, e, parity);
  if (v.settings.any_nvlink) receive_nvlink_updates(v, e, parity);
  if (any_batches<Team>(v.settings)) find_batch_due(v, e);
}

}  // namespace heddle
