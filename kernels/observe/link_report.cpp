#include "kernels/observe/link_report.hpp"

#include <algorithm>

#include "kernels/base/units.hpp"
#include "kernels/fabric/link_schedule.hpp"

namespace heddle {
namespace {

// When the memory for packets was used up, now_ps is the start of a tick of which some was simulated already: nothing
// is counted beyond it then, at most what the time before allows.

/// Wire bytes that have left by `now_ps`: of a packet that is still being sent, only what is out.
u64 sent_bytes(const View& v, u32 link, TimePs now_ps) {
  const Egress& egress = v.egress[link];
  const u64 started = v.link_tally[link].sent_wire_bytes;
  if (egress.free_ps <= now_ps) return started;
  return started - std::min(started, bytes_in_ps(egress.free_ps - now_ps, sent_at(v, link)));
}

u64 paused_ps(const View& v, u32 link, TimePs now_ps) {
  u64 sum = 0;
  for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
    const PauseReader& r = v.pause_reader[link * v.settings.pfc_classes + p];
    const u64 since_ps = r.paused ? static_cast<u64>(std::max<TimePs>(now_ps - r.since_ps, 0)) : 0;
    sum += std::min(r.total_ps + since_ps, static_cast<u64>(now_ps));
  }
  return sum;
}

u64 losses(const View& v, u32 link) { return v.settings.links_fail ? v.failing.link[link].losses : 0; }

/// Frame bytes that wait at a switch. What a NIC sends waits in memory.
u64 queue_bytes(const View& v, u32 link) {
  u64 sum = 0;
  if (v.link_node[link] >= v.switches) return sum;
  for (u32 c = 0; c < v.settings.classes; ++c) sum += v.queue[link * v.settings.classes + c].bytes;
  return sum;
}

}  // namespace

void read_links(const Model& model, TimePs now_ps, std::span<LinkCounters> out) {
  const View& v = model.view;
  std::fill(out.begin(), out.end(), LinkCounters{});
  for (u32 l = 0; l < v.links; ++l) {
    const LinkTally& tally = v.link_tally[l];
    out[model.global_link[l]] = {sent_bytes(v, l, now_ps), queue_bytes(v, l), paused_ps(v, l, now_ps), tally.marks,
                                 tally.drops + losses(v, l)};
  }
}

void read_links(const Model& model, TimePs now_ps, std::span<LinkOutcome> out) {
  const View& v = model.view;
  std::fill(out.begin(), out.end(), LinkOutcome{});
  for (u32 l = 0; l < v.links; ++l) {
    const LinkTally& tally = v.link_tally[l];
    LinkOutcome& own = out[model.global_link[l]];
    own.packets = tally.sent_packets;
    own.sent_bytes = sent_bytes(v, l, now_ps);
    own.paused_ps = paused_ps(v, l, now_ps);
    own.ecn_marks = tally.marks;
    own.egress_drops = tally.drops - tally.ingress_drops;
    own.losses = losses(v, l);
    own.peak_queue_bytes = tally.peak_queue_bytes;
    if (tally.peak_queue_bytes != 0) own.peak_queue_ps = std::min(tally.peak_queue_ps, now_ps);
    LinkOutcome& incoming = out[model.global_link[v.egress[l].reverse]];
    incoming.pauses = tally.pauses;
    incoming.ingress_drops = tally.ingress_drops;
  }
}

}  // namespace heddle
