#include "kernels/observe/invariants/links.hpp"

#include <algorithm>

#include "kernels/base/units.hpp"

namespace heddle {

LinkLedger::LinkLedger(const Model& model) : ledger_(model.view.links) {}

/// One transmitter sends the packets of all classes one after the other, all inside the tick.
std::string LinkLedger::check_starts(const Reading& r, const Egress& egress, TimePs free_before_ps) {
  std::sort(sent_.begin(), sent_.end(), [](const Sent& a, const Sent& b) { return a.end_ps < b.end_ps; });
  TimePs free_ps = free_before_ps;
  for (const Sent& s : sent_) {
    const TimePs start_ps = s.end_ps - s.ser_ps;
    if (start_ps < free_ps) return "a packet starts before the one before it has left";
    if (start_ps < r.tick.from_ps || start_ps >= r.tick.to_ps) return "a packet starts outside the tick";
    free_ps = s.end_ps;
  }
  if (free_ps != egress.free_ps) return "the transmitter is not free when its last packet has left";
  return {};
}

std::string LinkLedger::check_link(const Reading& r, u32 link) {
  const Egress& egress = r.v.egress[link];
  Ledger& ledger = ledger_[link];
  const u32 classes = r.v.settings.classes;
  u64 taken = 0, on_wire = 0;
  u32 largest = 0;
  sent_.clear();
  for (u32 q = link * classes; q < (link + 1) * classes; ++q) {
    r.each_taken(q, [&](const Packet& packet, TimePs) { taken += packet.wire_bytes(r.v.settings.wire_gap_bytes); });
    r.each_packet(q, r.now[q].head, r.now[q].sent,
                  [&](const Packet& packet, TimePs) { on_wire += packet.wire_bytes(r.v.settings.wire_gap_bytes); });
    r.each_started(q, [&](const Packet& packet, TimePs t) {
      sent_.push_back(
          {t - egress.lambda_ps, ser_ps(packet.wire_bytes(r.v.settings.wire_gap_bytes), egress.ps_per_byte_q16)});
      largest = std::max(largest, packet.wire_bytes(r.v.settings.wire_gap_bytes));
    });
  }
  const u64 counter = r.v.link_tally[link].sent_wire_bytes;
  const bool whole_nanoseconds = (egress.ps_per_byte_q16 & kWholeNanoseconds) != 0;
  const TimePs rounding_ps = static_cast<TimePs>(sent_.size()) * (whole_nanoseconds ? 1000 : 1);
  const u64 most = bytes_in_ps(r.tick.to_ps - r.tick.from_ps + rounding_ps, egress.ps_per_byte_q16) + largest;
  if (counter - ledger.sent_bytes > most) {
    return "goodput above capacity: " + std::to_string(counter - ledger.sent_bytes) + " B started, of which at most " +
           std::to_string(most) + " can";
  }
  std::string problem = check_starts(r, egress, ledger.free_ps);
  if (!problem.empty()) return problem;
  ledger.sent_bytes = counter;
  ledger.taken_bytes += taken;
  ledger.free_ps = egress.free_ps;
  if (counter != ledger.taken_bytes + on_wire) {
    return std::to_string(counter) + " B were started, but " + std::to_string(ledger.taken_bytes) + " B taken and " +
           std::to_string(on_wire) + " B on the wire";
  }
  return {};
}

std::string LinkLedger::check(const Reading& r) {
  for (u32 link = 0; link < r.v.links; ++link) {
    const std::string problem = check_link(r, link);
    if (!problem.empty()) return r.at_port(link, problem);
  }
  return {};
}

}  // namespace heddle
