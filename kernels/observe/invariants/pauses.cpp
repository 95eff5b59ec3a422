#include "kernels/observe/invariants/pauses.hpp"

#include "kernels/base/units.hpp"

namespace heddle {
namespace {

bool is_pause(u32 change) { return (change & 1) == 0; }
/// Whether an odd number of changes have been made: the last one was a PAUSE.
bool after_pause(u32 changes) { return (changes & 1) != 0; }

u64 events_of(const Tally& tally) {
  return tally.count[static_cast<u32>(EventKind::pause)] + tally.count[static_cast<u32>(EventKind::resume)];
}

/// The pause changes decided for (own, p), including the oldest that this tick may have read.
struct Line {
  const u64* changes;
  u32 mask;
  TimePs effect_ps(u32 i) const { return static_cast<TimePs>(changes[i & mask] >> 1); }
  bool pauses(u32 i) const { return (changes[i & mask] & 1) != 0; }
};
Line line_of(const View& v, u32 own, u32 p) {
  const IngressPort& port = v.ingress[own];
  return {v.pause_change + port.pause_first + static_cast<u64>(p) * (port.pause_mask + 1), port.pause_mask};
}

}  // namespace

PauseLedger::PauseLedger(const Model& model)
    : before_(static_cast<std::size_t>(model.view.links) * model.view.settings.pfc_classes) {}

std::string PauseLedger::check_changes(const Reading& r, u32 own, u32 p, const Changes& before,
                                       const Changes& now) const {
  const View& v = r.v;
  const u32 paused = v.pause_reader[v.egress[own].reverse * v.settings.pfc_classes + p].paused;
  const Account& account = v.account[own * v.settings.pfc_classes + p];
  if (v.ingress[own].profile == kNone) return now.decided == 0 && paused == 0 ? "" : "a link without PFC is paused";
  if (is_before(now.decided, before.decided) || is_before(now.in_effect, before.in_effect) ||
      is_before(now.decided, now.in_effect)) {
    return "the count of pause changes went back, or runs ahead of what was decided";
  }
  const Line line = line_of(v, own, p);
  if (now.decided - before.in_effect > line.mask + 1) return "more pause changes are on their way than fit their ring";
  if ((account.pausing != 0) != after_pause(now.decided))
    return "PAUSE and RESUME do not alternate where they are decided";
  if ((paused != 0) != after_pause(now.in_effect)) return "PAUSE and RESUME do not alternate where they take effect";
  TimePs last = 0;
  for (u32 i = before.in_effect; i != now.decided; ++i) {
    const TimePs effect = line.effect_ps(i);
    if (line.pauses(i) != is_pause(i)) return "PAUSE and RESUME do not alternate on the way";
    if (effect < last) return "pause changes are out of order of time";
    if (!is_before(i, before.decided) && effect < r.tick.to_ps)
      return "a pause change takes effect sooner than a frame can be there";
    if (is_before(i, now.in_effect) && effect >= r.tick.to_ps) return "a pause change was in effect before its time";
    last = effect;
  }
  return {};
}

/// A pause in effect at p forbids starts at p and later; a resume at p allows them.
std::string PauseLedger::check_starts(const Reading& r, u32 own, u32 p, const Changes& before,
                                      const Changes& now) const {
  if (before.in_effect == now.decided && !after_pause(before.in_effect))
    return {};  // the common case: no pause in sight
  const u32 link = r.v.egress[own].reverse;
  const Egress& egress = r.v.egress[link];
  const Line line = line_of(r.v, own, p);
  std::string problem;
  u32 i = before.in_effect;
  r.each_started(link * r.v.settings.classes + r.v.settings.pfc_class[p], [&](const Packet& packet, TimePs arrival) {
    const TimePs start =
        arrival - egress.lambda_ps - ser_ps(packet.wire_bytes(r.v.settings.wire_gap_bytes), egress.ps_per_byte_q16);
    while (i != now.decided && line.effect_ps(i) <= start) ++i;
    if (after_pause(i))
      problem = "a packet was started towards this port at " + std::to_string(start) + " ps, while paused";
  });
  return problem;
}

std::string PauseLedger::check(const Reading& r) {
  const u32 classes = r.v.settings.pfc_classes;
  u64 fresh = 0;
  for (u32 own = 0; own < r.v.links; ++own) {
    for (u32 p = 0; p < classes; ++p) {
      const u32 x = r.v.egress[own].reverse * classes + p;  // the sending end keeps them under its own egress
      const Changes now{r.v.pause_tail[r.tick.parity][x], r.v.pause_reader[x].head};
      Changes& before = before_[own * classes + p];
      std::string problem = check_changes(r, own, p, before, now);
      if (problem.empty()) problem = check_starts(r, own, p, before, now);
      if (!problem.empty()) {
        return r.at_port(own, problem + " (class " + std::to_string(r.v.settings.pfc_class[p]) + ")");
      }
      fresh += now.decided - before.decided;
      before = now;
    }
  }
  const u64 events = events_of(r.tally);
  if (events - events_ != fresh) {
    return "invariant violated: " + std::to_string(fresh) + " pause changes were decided, but " +
           std::to_string(events - events_) + " PAUSE and RESUME events counted";
  }
  events_ = events;
  return {};
}

}  // namespace heddle
