// What a node learns at the start of a tick, of what it and others have told in the last one (MODEL.md, 4.1).
//
// What others may read is kept twice: a tick reads x[parity] and writes x[parity ^ 1]. So what a tick has told is
// copied once more in the next one; from then on both agree until something is told again, and nobody has to be looked
// at.
//
// Where a cluster goes through several ticks by itself (backends/clusters.hpp), a later one reads x[parity] as the
// first did: what was told within the cluster is copied there in between, and news of it come there at once. What
// others told, and what they were told, waits until the parity flips.
#pragma once

#include "kernels/collective/nvlink.hpp"
#include "kernels/fabric/rest.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/state/prefetch.hpp"

namespace heddle {

/// The stretch of time that a tick covers.
struct Tick {
  TimePs from = 0, to = 0;
  u32 parity = 0;
  bool first = true;  // of those that a cluster goes through by itself: only in this one is there news of others
};

/// Both parities agree on what this end of a cable has told: what it sends, what it has taken, when it pauses.
template <class Team>
HEDDLE_FN void agree(const View& v, u32 link, u32 parity) {
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

/// Takes note of when others said that something happens at `node`. Returns whether there are news.
HEDDLE_FN bool hear_when(const View& v, u32 node, u32 parity) {
  if (v.wake_ps[parity][node] == kNever) return false;
  v.next_ps[node] = next_of_node(v, node, parity);
  v.wake_ps[parity][node] = kNever;
  return true;
}

/// Whether a port of switch `node` has told something in its last tick.
HEDDLE_FN bool has_told(const View& v, u32 node) {
  u64 told = 0;
  for (u32 w = v.first_port_word[node]; w < v.first_port_word[node + 1]; ++w) told |= v.port_told[w];
  return told != 0;
}

/// What a run of switches finds out; the team shares it.
struct SwitchNews {
  u32 any, due;
};

/// The news of the switches [node, end). Returns whether one of them has something to do before tick.to.
template <class Team>
HEDDLE_FN bool hear_switches(const Team& team, const View& v, u32 node, u32 end, const Tick& tick, SwitchNews& news) {
  team.each(1, [&](u32) { news = {0, 0}; });
  team.each(end - node, [&](u32 i) {
    if (hear_when(v, node + i, tick.parity) || (tick.first && has_told(v, node + i))) news.any = 1;
    if (v.next_ps[node + i] < tick.to) news.due = 1;
  });
  if (news.any) {
    const u32 first = v.first_port_word[node], words = v.first_port_word[end] - first;
    u64 *with_news = v.port_news[tick.parity] + first, *told = v.port_told + first;
    if (team.prefetches()) prefetch_told_to_ports(v, first, with_news, words, tick.parity);
    team.bits(with_news, words, [&](u32 w, u32 bit) {
      const u32 link = v.port_word_link[first + w] + bit;
      if (v.port_next_ps[link] > tick.from)  // else it is due anyhow
        v.port_next_ps[link] = next_of_port<Team>(v, link, tick.from, tick.parity, tick.parity);
    });
    if (tick.first)
      team.bits(told, words, [&](u32 w, u32 bit) { agree<Team>(v, v.port_word_link[first + w] + bit, tick.parity); });
    team.each(words, [&](u32 w) {
      v.port_active[first + w] |= with_news[w];
      with_news[w] = 0;
      if (tick.first) told[w] = 0;
    });
  }
  return news.due != 0;
}

/// Both parities agree on what endpoint e has told by its cable.
template <class Team>
HEDDLE_FN void agree_on_cable(const View& v, u32 e, u32 parity) {
  bool& told = v.endpoint.nic[e].told;
  if (told) agree<Team>(v, v.first_link[v.switches + e], parity);
  told = false;
}

/// The news of one endpoint whose bit in View::endpoint_news is set; the caller clears it.
template <class Team>
HEDDLE_FN void hear_endpoint(const View& v, u32 e, u32 parity) {
  hear_when(v, v.switches + e, parity);
  agree_on_cable<Team>(v, e, parity);
  if (v.settings.any_nvlink) hear_nvlinks(v, e, parity);
}

}  // namespace heddle
