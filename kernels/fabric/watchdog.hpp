// The watchdog of paused queues: at an epoch start it empties a switch queue that has been paused for too long, and
// drops all arrivals for the queue until its pause ends (MODEL.md, 6.6).
#pragma once

#include "kernels/fabric/admission.hpp"
#include "kernels/fabric/came_by.hpp"
#include "kernels/fabric/pause.hpp"

namespace heddle {

/// Whether the watchdog drops arrivals for queue (link, c) at t. Instants must not decrease.
HEDDLE_FN bool tripped_at(const View& v, u32 link, u32 c, TimePs t, u32 parity) {
  const u32 pfc = v.settings.pfc_index[c];
  if (v.settings.watchdog_ps == 0 || pfc == kNone) return false;
  return PauseTimeline(v, link, pfc, parity).still_paused(t) &&
         v.pause_reader[link * v.settings.pfc_classes + pfc].paused == kTripped;
}

/// Drops all packets that wait in queue (link, c) at t.
template <class Team>
HEDDLE_FN void empty_queue(const Team& team, const View& v, u32 link, u32 c, DropCause cause, TimePs t) {
  Queue& queue = v.queue[link * v.settings.classes + c];
  const u32 first_link = v.first_link[v.link_node[link]];
  for (u32 p = queue.sent; p != queue.tail; ++p) {
    const Packet& packet = v.pool.packet[queue.ring.at(p)];
    drop_packet(team, v, link, packet, cause, t);
    charge_egress(v, link, c, -static_cast<i64>(held_at(v, link, packet)));
    const CameBy by = came_by(v.settings, packet);
    charge_ingress(v, first_link + by.port, packet, by.traffic_class, false);
  }
  queue.tail = queue.sent;
  queue.bytes = 0;
}

/// Runs the watchdog of egress `link` at the epoch start t, after the pause changes of that instant and before
/// everything else. Returns whether it has emptied a queue.
template <class Team>
HEDDLE_FN bool watch_pauses(const Team& team, const View& v, u32 link, TimePs t, u32 parity) {
  bool emptied = false;
  for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
    const u32 c = v.settings.pfc_class[p];
    const Queue& queue = v.queue[link * v.settings.classes + c];
    if (queue.sent == queue.tail || !PauseTimeline(v, link, p, parity).still_paused(t)) continue;
    PauseReader& reader = v.pause_reader[link * v.settings.pfc_classes + p];
    if (t - reader.since_ps < v.settings.watchdog_ps) continue;
    reader.paused = kTripped;
    empty_queue(team, v, link, c, DropCause::watchdog, t);
    emptied = true;
  }
  return emptied;
}

}  // namespace heddle
