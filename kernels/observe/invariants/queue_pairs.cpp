#include "kernels/observe/invariants/queue_pairs.hpp"

#include <bit>

#include "kernels/collective/taken_ctss.hpp"
#include "kernels/congestion/controls.hpp"
#include "kernels/state/pairs.hpp"
#include "kernels/state/psn_set.hpp"

namespace heddle {
namespace {

const char* check_control(const View& v, u32 i, const Nic& nic) {
  if (!v.settings.congestion.any()) return nullptr;
  return CongestionControls::visit(v.settings.congestion.number, [&](auto tag) -> const char* {
    using Control = typename decltype(tag)::Control;
    const ControlArrays<Control>& control = v.endpoint.control.of<Control>();
    if (!control.state[i].started()) return nullptr;
    return Control(*control.settings, control.state[i], nic_line(v, nic)).problem();
  });
}

/// Selective repeat: packets to retransmit have been sent, and are not acknowledged.
const char* check_repeats(const View& v, u32 i) {
  const Sender& q = v.endpoint.sender[i];
  const u32 words = v.settings.roce.reorder_window_packets / 64;
  u32 bits = 0, inside = 0;
  for (u32 w = 0; w < words; ++w) bits += static_cast<u32>(std::popcount(v.endpoint.repeat[u64{i} * words + w]));
  for (u32 psn = q.una; bits != 0 && psn != q.next; ++psn) inside += repeats_of(v, i).has(psn);
  if ((bits != 0) != q.repeats) return "that packets are to be sent again is not what it says";
  return bits == inside ? nullptr : "a packet is to be sent again that was not sent or is acknowledged";
}

/// Selective repeat: placed packets lie between the expected packet and the highest seen.
const char* check_placed(const View& v, u32 i) {
  const u32 expected = v.endpoint.receiver[i].expected, end = v.endpoint.seen_end[i];
  const u32 window = v.settings.roce.reorder_window_packets, words = window / 64;
  if (is_before(end, expected)) return "the highest PSN seen lies before the expected one";
  if (end - expected > window) return "a packet came from beyond the window";
  u32 bits = 0, inside = 0;
  for (u32 w = 0; w < words; ++w) {
    const u64 placed = v.endpoint.placed[u64{i} * words + w], last = v.endpoint.placed_last[u64{i} * words + w];
    if ((last & ~placed) != 0) return "a message's last packet is noted that was not placed";
    bits += static_cast<u32>(std::popcount(placed));
  }
  for (u32 psn = expected + 1; bits != 0 && is_before(psn, end); ++psn) inside += placed_of(v, i).has(psn);
  if (bits != inside) return "a packet was placed that lies outside of what was seen";
  const bool top = end == expected || placed_of(v, i).has(end - 1);
  return top ? nullptr : "the highest packet seen was not placed";
}

/// TCP: una <= again <= lost <= next, and the counts are those of the bitmap, which lies in [una, next).
const char* check_tcp_sender(const View& v, const Sender& q, u32 tcp) {
  const TcpSender& c = v.endpoint.tcp.sender[tcp];
  const u32 window = v.settings.tcp.window_segments;
  const PsnSet sacked = tcp_set_of(v, v.endpoint.tcp.sacked, tcp);
  if (q.next - q.una > window) return "more segments are on the way than the receive window holds";
  if (is_before(c.lost, c.again) || is_before(q.next, c.lost))
    return "segments are out of order: not again <= lost <= next";
  u32 inside = 0, missing = 0, bits = 0;
  for (u32 psn = q.una; psn != q.next; ++psn) {
    inside += sacked.has(psn);
    missing += !sacked.has(psn) && !is_before(psn, c.again) && is_before(psn, c.lost);
  }
  for (u32 w = 0; w < window / 64; ++w)
    bits += static_cast<u32>(std::popcount(v.endpoint.tcp.sacked[u64{tcp} * (window / 64) + w]));
  if (inside != c.sacked || bits != inside) return "the SACKed segments are not as many as it counts";
  if (missing != c.missing) return "the lost segments are not as many as it counts";
  return sacked.has(q.una) && q.una != q.next ? "the first segment not acknowledged is SACKed" : nullptr;
}

const char* check_tcp_receiver(const View& v, const Receiver& q, u32 tcp) {
  const u32 words = v.settings.tcp.window_segments / 64;
  const PsnSet placed = tcp_set_of(v, v.endpoint.tcp.placed, tcp);
  u32 bits = 0;
  for (u32 w = 0; w < words; ++w) {
    const u64 set = v.endpoint.tcp.placed[u64{tcp} * words + w],
              last = v.endpoint.tcp.placed_last[u64{tcp} * words + w];
    if ((last & ~set) != 0) return "a message's last segment is noted that was not placed";
    bits += static_cast<u32>(std::popcount(set));
  }
  if (bits != v.endpoint.tcp.receiver[tcp].placed) return "the placed segments are not as many as it counts";
  return placed.has(q.expected) ? "the expected segment is placed" : nullptr;
}

std::string check_tcp(const Reading& r, u32 e) {
  if (!r.v.settings.any_tcp) return {};
  const Endpoints& ep = r.v.endpoint;
  for (u32 i = ep.first_sender_plan[e]; i < ep.first_sender_plan[e + 1]; ++i) {
    const u32 sender = ep.first_sender[e] + i - ep.first_sender_plan[e], tcp = ep.sender_plan[i].tcp;
    const char* problem = tcp == kNone ? nullptr : check_tcp_sender(r.v, ep.sender[sender], tcp);
    if (problem != nullptr) return r.at_sender(e, sender, problem);
  }
  for (u32 i = ep.first_receiver_plan[e]; i < ep.first_receiver_plan[e + 1]; ++i) {
    const u32 receiver = ep.first_receiver[e] + i - ep.first_receiver_plan[e], tcp = ep.receiver_plan[i].tcp;
    const char* problem = tcp == kNone ? nullptr : check_tcp_receiver(r.v, ep.receiver[receiver], tcp);
    if (problem != nullptr) return r.at_receiver(e, receiver, problem);
  }
  return {};
}

const char* check_sender(const Reading& r, u32 i, const Nic& nic) {
  const Sender& q = r.v.endpoint.sender[i];
  if (is_before(q.next, q.una) || is_before(q.sent_end, q.next)) {
    return "PSNs are out of order: not una <= next <= sent end";
  }
  if (r.v.settings.roce.selective()) {
    const char* problem = check_repeats(r.v, i);
    if (problem != nullptr) return problem;
  }
  return check_control(r.v, i, nic);
}

/// CTS numbers at both ends of one receiving queue pair: una <= the number that the sender expects <= end.
const char* check_both_ends(const Reading& r, u32 e, u32 n) {
  const View& v = r.v;
  const CtsStream& stream = v.collective.cts[v.endpoint.first_receiver[e] + n];
  if (is_before(stream.end, stream.una)) return "a CTS is acknowledged that was not sent";
  const ReceiverPlan plan = receiver_plan(v, PairsRank(v, e), e, n);
  if (plan.connection == kNone) return nullptr;
  const ConnectionPlan c = connection_plan(v, PairsRank(v, r.model.local_endpoint[plan.src]), plan.connection);
  if (c.split && plan.scaling_index != 0) return nullptr;  // the first queue pair carries the CTSs of all
  const SendState& send = v.collective.send[c.send_end];
  const u32 expected = expected_cts(c, send, plan.scaling_index);
  if (is_before(expected, stream.una)) return "a CTS is acknowledged that was not taken";
  if ((send.early & send.asked) != 0) return "a CTS is asked for that was taken";
  u32 taken = expected;  // one beyond the highest number taken
  for (u32 number = expected; slice_of_cts(c, number, plan.scaling_index) - send.granted < kMaxSlots; ++number)
    if (is_early(send, slice_of_cts(c, number, plan.scaling_index))) taken = number + 1;
  return is_before(stream.end, taken) ? "a CTS was taken that was not sent" : nullptr;
}

std::string check_cts(const Reading& r, u32 e) {
  if (r.v.collective.jobs == 0) return {};
  const u32 first = r.v.endpoint.first_receiver[e], end = r.v.endpoint.first_receiver[e + 1];
  u32 unacknowledged = 0;
  for (u32 i = first; i < end; ++i) {
    if (const char* problem = check_both_ends(r, e, i - first); problem != nullptr) return r.at_receiver(e, i, problem);
    unacknowledged += r.v.collective.cts[i].una != r.v.collective.cts[i].end;
  }
  if (unacknowledged == r.v.collective.gpu[e].cts_outstanding) return {};
  return r.at_node(r.v.switches + e, "the queue pairs with unacknowledged CTSs are not as many as it counts");
}

std::string check_nic(const Reading& r, u32 e) {
  const Endpoints& endpoint = r.v.endpoint;
  const Nic& nic = endpoint.nic[e];
  u32 ready = 0, timed = 0, outstanding = 0;
  for (u32 i = endpoint.first_sender[e]; i < endpoint.first_sender[e + 1]; ++i) {
    const Sender& q = endpoint.sender[i];
    const char* problem = check_sender(r, i, nic);
    if (problem != nullptr) return r.at_sender(e, i, problem);
    ready += static_cast<u32>(std::popcount(q.ready));
    timed += q.timed;
    outstanding += q.una != q.sent_end;
  }
  for (u32 i = endpoint.first_receiver[e]; r.v.settings.roce.selective() && i < endpoint.first_receiver[e + 1]; ++i) {
    const char* problem = check_placed(r.v, i);
    if (problem != nullptr) return r.at_receiver(e, i, problem);
  }
  if (std::string problem = check_tcp(r, e); !problem.empty()) return problem;
  if (std::string problem = check_cts(r, e); !problem.empty()) return problem;
  u32 bits = 0, counted = 0;
  for (u32 w = endpoint.first_ready_word[e]; w < endpoint.first_ready_word[e + 1]; ++w) {
    bits += static_cast<u32>(std::popcount(endpoint.ready[w]));
  }
  for (u32 p = 0; p < count_ports(r.v, e); ++p) {
    for (u32 c = 1; c < r.v.settings.classes; ++c) counted += port_of_nic(r.v, e, p).ready[c];
  }
  const u32 node = r.v.switches + e;
  if (ready != counted || bits != counted) return r.at_node(node, "the NIC's ready set does not count what it holds");
  const TimePs timer_ps = nic.timers == 0 ? kNever : endpoint.timers[endpoint.first_sender[e]].due_ps;
  if (timed != nic.timers || timer_ps != nic.timer_ps)
    return r.at_node(node, "the NIC's timers are not those of its queue pairs");
  if (outstanding != nic.outstanding) {
    return r.at_node(node, "the NIC counts " + std::to_string(nic.outstanding) + " unacknowledged queue pairs, not " +
                               std::to_string(outstanding));
  }
  return {};
}

}  // namespace

std::string check_queue_pairs(const Reading& r) {
  for (u32 e = 0; e < r.v.endpoints; ++e) {
    std::string problem = check_nic(r, e);
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace heddle
