#include "kernels/observe/invariants/pauses.hpp"

namespace heddle {
namespace {

bool is_pause(u32 change) { return (change & 1) == 0; }
/// Whether an odd number of changes have been made: the last one was a PAUSE.
bool after_pause(u32 changes) { return (changes & 1) != 0; }

u64 events_of(const Tally& tally) {
  return tally.count[static_cast<u32>(EventKind::pause)] + tally.count[static_cast<u32>(EventKind::resume)];
}

}  // namespace

PauseLedger::PauseLedger(const Model& model)
    : decided_(static_cast<std::size_t>(model.view.links) * model.view.settings.pfc_classes, 0) {}

std::string PauseLedger::check_changes(const Reading& r, u32 own, u32 p) {
  const View& v = r.v;
  const IngressPort& port = v.ingress[own];
  const u32 x = v.egress[own].reverse * v.settings.pfc_classes + p;  // the sending end keeps it under its own egress
  const PauseReader& reader = v.pause_reader[x];
  const u32 decided = v.pause_tail[r.tick.parity][x];
  const Account& account = v.account[own * v.settings.pfc_classes + p];
  u32& decided_before = decided_[own * v.settings.pfc_classes + p];
  if (port.profile == kNone) return decided == 0 && reader.paused == 0 ? "" : "a link without PFC is paused";
  if (decided - reader.head > port.pause_mask + 1) return "more pause changes are on their way than fit their ring";
  if ((account.pausing != 0) != after_pause(decided)) return "PAUSE and RESUME do not alternate where they are decided";
  if ((reader.paused != 0) != after_pause(reader.head)) return "PAUSE and RESUME do not alternate where they take effect";
  const u64* changes = v.pause_change + port.pause_first + static_cast<u64>(p) * (port.pause_mask + 1);
  TimePs last = 0;
  for (u32 i = reader.head; i != decided; ++i) {
    const u64 change = changes[i & port.pause_mask];
    const TimePs effect = static_cast<TimePs>(change >> 1);
    const bool fresh = static_cast<i32>(i - decided_before) >= 0;
    if (((change & 1) != 0) != is_pause(i)) return "PAUSE and RESUME do not alternate on the way";
    if (effect < last) return "pause changes are out of order of time";
    if (fresh && effect < r.tick.to_ps) return "a pause change takes effect sooner than a frame can be there";
    last = effect;
  }
  decided_before = decided;
  return {};
}

std::string PauseLedger::check(const Reading& r) {
  u64 fresh = 0;
  for (u32 own = 0; own < r.v.links; ++own) {
    for (u32 p = 0; p < r.v.settings.pfc_classes; ++p) {
      const u32 before = decided_[own * r.v.settings.pfc_classes + p];
      const std::string problem = check_changes(r, own, p);
      if (!problem.empty()) {
        return r.at_port(own, problem + " (class " + std::to_string(r.v.settings.pfc_class[p]) + ")");
      }
      fresh += decided_[own * r.v.settings.pfc_classes + p] - before;
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
