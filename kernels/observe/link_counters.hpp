// Counters of one link so far, for the host and for kernels.
//
// After the memory for packets was used up, now_ps is the start of a tick that has been simulated in part: counters
// then exclude transmissions and pauses beyond now_ps, and are capped at what the time before it allows.
#pragma once

#include "kernels/base/units.hpp"
#include "kernels/fabric/link_schedule.hpp"
#include "kernels/outcome/counters.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Wire bytes that have left by `now_ps`; a packet in transmission counts only the bytes that have left.
HEDDLE_FN u64 sent_bytes(const View& v, u32 link, TimePs now_ps) {
  const Egress& egress = v.egress[link];
  const u64 started = v.link_tally[link].sent_wire_bytes;
  if (egress.free_ps <= now_ps) return started;
  const u64 to_come = bytes_in_ps(egress.free_ps - now_ps, sent_at(v, link));
  return to_come < started ? started - to_come : 0;
}

HEDDLE_FN u64 paused_ps(const View& v, u32 link, TimePs now_ps) {
  u64 sum = 0;
  for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
    const PauseReader& r = v.pause_reader[link * v.settings.pfc_classes + p];
    const u64 since_ps = r.paused && r.since_ps < now_ps ? static_cast<u64>(now_ps - r.since_ps) : 0;
    const u64 paused = r.total_ps + since_ps, most = static_cast<u64>(now_ps);
    sum += paused < most ? paused : most;
  }
  return sum;
}

HEDDLE_FN u64 losses(const View& v, u32 link) { return v.settings.links_fail ? v.failing.link[link].losses : 0; }

/// Frame bytes that wait at a switch; 0 for a NIC, whose packets wait in memory.
HEDDLE_FN u64 queue_bytes(const View& v, u32 link) {
  u64 sum = 0;
  if (v.link_node[link] >= v.switches) return sum;
  for (u32 c = 0; c < v.settings.classes; ++c) sum += v.queue[link * v.settings.classes + c].bytes;
  return sum;
}

/// The counters of a link, by its local number.
struct CountersOfLink {
  const View* view;
  TimePs now_ps;

  HEDDLE_FN LinkCounters operator()(u32 link) const {
    const View& v = *view;
    const LinkTally& tally = v.link_tally[link];
    return {sent_bytes(v, link, now_ps), queue_bytes(v, link), paused_ps(v, link, now_ps), tally.marks,
            tally.drops + losses(v, link)};
  }
};

}  // namespace heddle
