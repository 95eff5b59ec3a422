#include "kernels/observe/link_report.hpp"

#include <algorithm>

#include "kernels/observe/link_counters.hpp"
#include "kernels/outcome/outcome.hpp"

namespace heddle {

void spread_counters(const Model& model, std::span<const LinkCounters> own, std::span<LinkCounters> out) {
  std::fill(out.begin(), out.end(), LinkCounters{});
  for (u32 l = 0; l < model.view.links; ++l) out[model.global_link[l]] = own[l];
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
