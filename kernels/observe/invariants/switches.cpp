#include "kernels/observe/invariants/switches.hpp"

#include "kernels/base/units.hpp"

namespace heddle {

SwitchLedger::SwitchLedger(const Model& model) : ledger_(model.view.switches) {}

void SwitchLedger::Sum::add(const Settings& s, Packet packet, u32 cell_bytes) {
  ++packets;
  bytes += held_bytes(packet.frame_bytes(), cell_bytes);
  if (s.detour_class != 0 && packet.traffic_class() == s.detour_class) packet.set_traffic_class(kDetouredClass);
  identity += identity_of(packet);
}

std::string SwitchLedger::check_switch(const Reading& r, u32 node) {
  const View& v = r.v;
  const u32 classes = v.settings.classes;
  Ledger& ledger = ledger_[node];
  Sum in = ledger.held, out, held;
  u32 drops = 0, cell_bytes = 1;
  for (u32 link = v.first_link[node]; link < v.first_link[node + 1]; ++link) {
    cell_bytes = v.egress[link].cell_bytes;
    drops += v.link_tally[link].drops;
    for (u32 c = 0; c < classes; ++c) {
      const u32 q = link * classes + c;
      r.each_taken(v.egress[link].reverse * classes + c,
                   [&](const Packet& packet, TimePs) { in.add(v.settings, packet, cell_bytes); });
      r.each_started(q, [&](const Packet& packet, TimePs) { out.add(v.settings, packet, cell_bytes); });
      r.each_packet(q, r.now[q].sent, r.now[q].tail,
                    [&](const Packet& packet, TimePs) { held.add(v.settings, packet, cell_bytes); });
    }
  }
  const u32 dropped = drops - ledger.drops;
  if (in.packets != out.packets + held.packets + dropped) {
    return std::to_string(in.packets) + " packets were held or came in, but " + std::to_string(out.packets) +
           " went out, " + std::to_string(held.packets) + " are held and " + std::to_string(dropped) + " were dropped";
  }
  const u64 missing = in.bytes - out.bytes - held.bytes;
  const u64 most = static_cast<u64>(dropped) * held_bytes(kMaxFrameBytes, cell_bytes);
  if (missing < dropped || missing > most) {
    return std::to_string(in.bytes) + " B were held or came in, " + std::to_string(out.bytes) + " B went out and " +
           std::to_string(held.bytes) + " B are held, which " + std::to_string(dropped) + " drops do not explain";
  }
  if (dropped == 0 && in.identity != out.identity + held.identity) return "a packet was changed inside the switch";
  ledger = {held, drops};
  return {};
}

std::string SwitchLedger::check(const Reading& r) {
  for (u32 node = 0; node < r.v.switches; ++node) {
    const std::string problem = check_switch(r, node);
    if (!problem.empty()) return r.at_node(node, problem);
  }
  return {};
}

}  // namespace heddle
