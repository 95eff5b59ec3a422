#include "kernels/observe/invariants/flows.hpp"

#include <algorithm>

#include "kernels/base/units.hpp"
#include "kernels/fabric/link_schedule.hpp"
#include "kernels/state/packet.hpp"
#include "kernels/state/pairs.hpp"

namespace heddle {
namespace {

bool is_data(const Packet& packet) { return packet.kind() == PacketKind::data; }
bool goes_to_receiver(const Packet& packet) { return goes_with_data(packet.kind()); }

/// Distance of the 24-bit PSN of a packet beyond `near`; negative: before it.
i32 ahead_of(u32 psn24, u32 near) { return static_cast<i32>(extend24(psn24, near) - near); }

/// Whether a NIC may drop or delay arrivals.
bool buffers(const View& v, u32 e) {
  return v.endpoint.nic[e].slow.drain_ps_per_byte_q16 != 0 && v.ingress[v.first_link[v.switches + e]].profile != kNone;
}

/// A packet that left or arrived by the port of egress `link`.
struct AtPort {
  TimePs at_ps;
  u32 link;
  Packet packet;
};

/// The packets that endpoint e has started in this tick, or taken, in order of time, then of ports.
std::vector<AtPort> packets_of_nic(const Reading& r, u32 e, bool started) {
  const View& v = r.v;
  std::vector<AtPort> all;
  for (u32 link = v.first_link[v.switches + e]; link < v.first_link[v.switches + e + 1]; ++link) {
    const Egress& egress = v.egress[link];
    for (u32 c = 0; c < v.settings.classes; ++c) {
      if (started) {
        r.each_started(link * v.settings.classes + c, [&](const Packet& packet, TimePs arrival_ps) {
          const TimePs sending_ps = ser_ps(packet.wire_bytes(v.settings.wire_gap_bytes), sent_at(v, link));
          all.push_back({arrival_ps - egress.lambda_ps - sending_ps, link, packet});
        });
      } else {
        r.each_taken(egress.reverse * v.settings.classes + c, [&](const Packet& packet, TimePs at_ps) {
          all.push_back({at_ps, link, packet});
        });
      }
    }
  }
  std::ranges::stable_sort(all, {}, &AtPort::at_ps);
  return all;
}

u64 drops_of(const Tally& tally, DropCause cause) { return tally.drops[static_cast<u32>(cause)]; }
u64 lossless_drops_of(const Tally& tally) {
  return drops_of(tally, DropCause::headroom_overrun) + drops_of(tally, DropCause::pool_overflow) +
         drops_of(tally, DropCause::watchdog);
}

}  // namespace

FlowLedger::FlowLedger(const Model& model) : model_(model), drops_(model.view.links, 0) {
  const Endpoints& endpoint = model.view.endpoint;
  const u32 qps = endpoint.first_receiver[model.view.endpoints];
  flow_.resize(qps);
  receiver_of_sender_.resize(qps);
  for (u32 e = 0; e < model.view.endpoints; ++e) {
    const PairsRank pairs(model.view, e);
    for (u32 i = endpoint.first_receiver[e]; i < endpoint.first_receiver[e + 1]; ++i)
      add_flow(i, e, receiver_plan(model.view, pairs, e, i - endpoint.first_receiver[e]));
  }
}

void FlowLedger::add_flow(u32 i, u32 to, const ReceiverPlan& plan) {
  Flow& flow = flow_[i];
  const u32 from = model_.local_endpoint[plan.src];
  flow.endpoint = from;
  flow.destination = to;
  flow.sender = model_.view.endpoint.first_sender[from] + plan.sender_number;
  flow.traffic_class = sender_plan(model_.view, PairsRank(model_.view, from), from, plan.sender_number).traffic_class;
  flow.answer_class = plan.answer_class;
  flow.cts_class = plan.cts_class;
  flow.tcp = plan.tcp != kNone;
  receiver_of_sender_[flow.sender] = i;
}

FlowLedger::Count& FlowLedger::Flow::count_of(const Packet& packet) {
  if (is_data(packet)) return data;
  if (goes_to_receiver(packet)) return cts_answers;
  return packet.kind() == PacketKind::cts ? ctss : answers;
}

/// The flow of a packet, as the index of its receiving end; kNone when there is no such queue pair.
u32 FlowLedger::flow_of(const Packet& packet) const {
  const u32 endpoint = packet.dst() / model_.view.settings.nic_ports;
  if (endpoint >= model_.local_endpoint.size()) return kNone;
  const u32 e = model_.local_endpoint[endpoint];
  const u32* first = goes_to_receiver(packet) ? model_.view.endpoint.first_receiver : model_.view.endpoint.first_sender;
  if (packet.dst_qp() >= first[e + 1] - first[e]) return kNone;
  return goes_to_receiver(packet) ? first[e] + packet.dst_qp() : receiver_of_sender_[first[e] + packet.dst_qp()];
}

std::string FlowLedger::at_flow(const Reading& r, const Flow& flow, const std::string& what) const {
  return r.at_sender(flow.endpoint, flow.sender, what);
}

/// Counts packets that the NIC of endpoint e started: data has the PSN after the last, or one not acknowledged yet.
std::string FlowLedger::count_sent(const Reading& r, u32 e) {
  std::string problem;
  for (const AtPort& started : packets_of_nic(r, e, true)) {
    const Packet& packet = started.packet;
    const u32 f = flow_of(packet);
    if (f == kNone) {
      problem = r.at_port(started.link, "a packet is addressed to a queue pair that does not exist");
      continue;
    }
    Flow& flow = flow_[f];
    ++flow.count_of(packet).sent;
    if (!is_data(packet)) continue;
    const i32 ahead = ahead_of(packet.psn(), flow.sent_end);
    if (ahead > 0) problem = at_flow(r, flow, "PSNs are not in order: one was left out");
    if (ahead_of(packet.psn(), flow.una) < 0) problem = at_flow(r, flow, "an acknowledged PSN was sent again");
    if (ahead == 0) ++flow.sent_end;
  }
  return problem;
}

/// Replays the arrival of a data packet `ahead` PSNs after the expected one.
void FlowLedger::replay(const Reading& r, Flow& flow, i32 ahead) {
  if (ahead == 0) ++flow.expected;
  if (!r.v.settings.roce.selective() && !flow.tcp) return;
  if (ahead > 0) flow.placed.insert(flow.expected + static_cast<u32>(ahead));
  while (ahead == 0 && flow.placed.erase(flow.expected) != 0) ++flow.expected;
}

/// Counts packets that endpoint e took off its wire; replays receivers of NICs without a buffer.
std::string FlowLedger::count_arrived(const Reading& r, u32 e) {
  const bool at_once = !buffers(r.v, e);
  std::string problem;
  for (const AtPort& taken : packets_of_nic(r, e, false)) {
    const Packet& packet = taken.packet;
    const u32 port = taken.link - r.v.first_link[r.v.switches + e];
    const u32 f = flow_of(packet);
    if (f == kNone || packet.dst() != r.v.endpoint.id[e] * r.v.settings.nic_ports + port) {
      problem = r.at_port(taken.link, "a packet arrived that is addressed to another port");
      continue;
    }
    Flow& flow = flow_[f];
    ++flow.count_of(packet).arrived;
    if (is_data(packet) && at_once) replay(r, flow, ahead_of(packet.psn(), flow.expected));
  }
  return problem;
}

/// Counts packets on wires and in switches; packets that wait at NICs do not count as sent.
std::string FlowLedger::count_in_flight(const Reading& r, u32 link) {
  const bool at_switch = r.is_switch(r.v.link_node[link]);
  std::string problem;
  for (u32 q = link * r.v.settings.classes; q < (link + 1) * r.v.settings.classes; ++q) {
    r.each_packet(q, r.now[q].head, at_switch ? r.now[q].tail : r.now[q].sent, [&](const Packet& packet, TimePs) {
      const u32 f = flow_of(packet);
      if (f == kNone) {
        problem = r.at_port(link, "a packet is addressed to a queue pair that does not exist");
        return;
      }
      Flow& flow = flow_[f];
      ++flow.count_of(packet).in_flight;
      if (is_data(packet) && ahead_of(packet.psn(), flow.sent_end) >= 0)
        problem = at_flow(r, flow, "a PSN is in flight that was never sent");
      const bool nak = packet.kind() == PacketKind::nak, sack = nak && flow.tcp;
      const bool selective_nak = nak && !flow.tcp && r.v.settings.roce.selective();
      const bool answer = packet.kind() == PacketKind::ack || (nak && !sack && !selective_nak);
      if (sack && ahead_of(packet.psn(), flow.sent_end) >= 0)
        problem = at_flow(r, flow, "a SACK is in flight for what was never sent");
      if (answer && ahead_of(packet.psn(), r.v.endpoint.receiver[f].expected) > 0)
        problem = at_flow(r, flow, "an ACK is in flight for what was never received");
      if (selective_nak && ahead_of(packet.psn(), r.v.endpoint.seen_end[f]) >= 0)
        problem = at_flow(r, flow, "a NAK is in flight for what nothing was seen behind");
    });
  }
  return problem;
}

/// una <= expected <= sent end, none decreases, and each agrees with the packets on wires. Adds delivered packets.
std::string FlowLedger::check_windows(const Reading& r, Flow& flow, u32 receiver, u64* delivered) {
  const Sender& sender = r.v.endpoint.sender[flow.sender];
  const u32 expected = r.v.endpoint.receiver[receiver].expected;
  const u32 e = flow.destination;
  if (sender.sent_end != flow.sent_end) return "the PSNs sent are not those that started";
  if (is_before(sender.una, flow.una)) return "una went back";
  if (buffers(r.v, e)) {  // the NIC may drop packets, or deliver them later
    const i32 more = static_cast<i32>(expected - flow.expected);
    if (more < 0 || flow.in_order + static_cast<u64>(more) > flow.data.arrived) {
      return "the receiver expects a PSN that its arrivals do not explain";
    }
    flow.in_order += static_cast<u64>(more);
    *delivered += static_cast<u64>(more);
    flow.expected = expected;
  } else {
    if (expected != flow.expected) return "the receiver expects a PSN that its arrivals do not explain";
    const u64 more = expected - static_cast<u32>(flow.in_order);
    flow.in_order += more;
    *delivered += more;
  }
  if (is_before(expected, sender.una)) return "more is acknowledged than was received";
  if (is_before(sender.sent_end, expected)) return "more was received than was sent";
  flow.una = sender.una;
  return {};
}

/// Compares `lost`, by class in this tick, with the drops counted in it.
std::string FlowLedger::check_losses(const Reading& r, const std::vector<u64>& lost) {
  const Settings& s = r.v.settings;
  u64 lossless = 0, lossy = 0, at_nics = 0;
  bool limited = false;
  for (u32 c = 0; c < s.classes; ++c) {
    const bool pfc = s.pfc_index[c] != kNone;
    (pfc ? lossless : lossy) += lost[c];
    limited = limited || (pfc && s.limit_bytes[c] != 0);
  }
  for (u32 link = 0; link < r.v.links; ++link) {
    const u32 drops = r.v.link_tally[link].drops;
    if (!r.is_switch(r.v.link_node[link])) at_nics += drops - drops_[link];  // drops of arrived packets
    drops_[link] = drops;
  }
  const u64 counted = lossless_drops_of(r.tally) - lossless_drops_of(tally_) - at_nics;
  const u64 by_limit = drops_of(r.tally, DropCause::class_limit) - drops_of(tally_, DropCause::class_limit);
  tally_ = r.tally;
  const bool explained = limited ? lossless >= counted && lossless + lossy == counted + by_limit
                                 : lossless == counted && lossy == by_limit;
  if (explained) return {};
  return "invariant violated: " + std::to_string(lossless) + " packets of lossless classes and " +
         std::to_string(lossy) + " of others were lost, but " + std::to_string(counted) +
         " overruns, overflows and watchdog drops and " + std::to_string(by_limit) + " drops by class limits counted";
}

std::string FlowLedger::check(const Reading& r) {
  std::string problem;
  for (Flow& flow : flow_)
    for (Count* count : flow.counts()) count->in_flight = 0;
  for (u32 e = 0; e < r.v.endpoints && problem.empty(); ++e) {
    problem = count_sent(r, e);
    if (problem.empty()) problem = count_arrived(r, e);
  }
  for (u32 link = 0; link < r.v.links && problem.empty(); ++link) problem = count_in_flight(r, link);
  if (!problem.empty()) return problem;

  std::vector<u64> lost(r.v.settings.classes, 0);
  u64 delivered = 0;
  for (u32 i = 0; i < flow_.size(); ++i) {
    Flow& flow = flow_[i];
    for (Count* count : flow.counts()) {
      const u64 lost_now = count->sent - count->arrived - count->in_flight;
      if (lost_now < count->lost || lost_now > count->sent) {
        return at_flow(r, flow,
                       std::to_string(count->sent) + " packets were sent and " + std::to_string(count->lost) +
                           " lost, but " + std::to_string(count->arrived) + " have arrived and " +
                           std::to_string(count->in_flight) + " are in flight");
      }
      lost[count == &flow.data      ? flow.traffic_class
           : count == &flow.answers ? flow.answer_class
                                    : flow.cts_class] += lost_now - count->lost;
      count->lost = lost_now;
    }
    problem = check_windows(r, flow, i, &delivered);
    if (!problem.empty()) return at_flow(r, flow, problem);
  }
  if (delivered != r.tally.data_received - tally_.data_received)
    return "invariant violated: the packets delivered in order are not those that are counted";
  return check_losses(r, lost);
}

}  // namespace heddle
