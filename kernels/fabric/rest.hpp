// The next event of a switch port (MODEL.md, 4.1).
#pragma once

#include "kernels/fabric/pause.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// The next event of the port of egress `own`, at or after `at`; kNever: none until the port receives an update. `seen`
/// is the parity of published state, `taken` that of the read positions of its incoming wire.
template <class Team>
HEDDLE_FN TimePs next_of_port(const View& v, u32 own, TimePs at, u32 seen, u32 taken) {
  const Settings& s = v.settings;
  const u32 classes = classes_of<Team>(s);
  for (u32 p = 0; p < pfc_classes_of<Team>(s); ++p) {  // due at all times: thresholds follow the free memory
    const Account& account = v.account[own * pfc_classes_of<Team>(s) + p];
    if (account.pausing || account.occupancy_bytes != 0) return at;
  }
  TimePs next = kNever;
  const u32 incoming = v.egress[own].reverse;
  for (u32 c = 0; c < classes; ++c) {
    const u32 q = incoming * classes + c;
    const Published& p = v.published[seen][q];
    const u32 head = v.head[taken][q];
    if (head != p.sent && v.pool.time_ps[p.ring.at(head)] < next) next = v.pool.time_ps[p.ring.at(head)];
    const Queue& queue = v.queue[own * classes + c];
    bool open = queue.sent != queue.tail;
    if (open && (samples_queues<Team>(s) || has_watchdog<Team>(s) || links_fail<Team>(s))) return at;
    if (pfc_index_of<Team>(s, c) != kNone) {
      const PauseTimeline pauses(v, own, pfc_index_of<Team>(s, c), seen);
      if (pauses.next_change_ps() < next) next = pauses.next_change_ps();
      open = open && !pauses.paused();
    }
    if (open && v.egress[own].free_ps < next) next = v.egress[own].free_ps;
  }
  return next < at ? at : next;
}

/// Decides, after a tick up to `to`, when `port` of switch `node`, of egress `link`, next has something to do, and
/// notes it. Returns it.
template <class Team>
HEDDLE_FN TimePs decide_port(const Team& team, const View& v, u32 node, u32 port, u32 link, TimePs to, u32 parity) {
  const TimePs next = next_of_port<Team>(v, link, to, parity, parity ^ 1);
  v.port_next_ps[link] = next;
  const u64 bit = u64{1} << (port % 64);
  u64& active = v.port_active[v.first_port_word[node] + port / 64];
  const bool was_active = (global_load(active) & bit) != 0;
  if (was_active != (next != kNever)) team.add(active, was_active ? u64{0} - bit : bit);
  return next;
}

}  // namespace heddle
