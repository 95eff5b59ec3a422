#include "tests/oracle/endpoint.hpp"

#include <algorithm>
#include <string>

#include "kernels/base/units.hpp"
#include "tests/oracle/receiver.hpp"
#include "tests/oracle/sender.hpp"
#include "tests/oracle/tcp_receiver.hpp"
#include "tests/oracle/tcp_sender.hpp"

namespace heddle::oracle {

Endpoint::Endpoint(Simulation& sim, NodeId node)
    : sim_(sim), node_(node), buffers_(sim, node), gpu_(sim, node, static_cast<Nic&>(*this)) {
  const World& world = sim.world;
  const Node& self = world.fabric.nodes[node];
  for (u32 p = 0; p < self.ports; ++p) transmitters_.emplace_back(sim, self.first_link + p);
  ports_.resize(self.ports);
  u64 line_bps = bits_per_s_of(self.ports > 0 ? world.fabric.links[self.first_link].ps_per_byte_q16 : 65536);
  if (world.roce.port_choice == PortChoice::per_packet) line_bps *= self.ports;
  for (QpId q = 0; q < world.traffic.qps.size(); ++q) {
    const Qp& qp = world.traffic.qps[q];
    if (qp.src == node) {
      if (senders_.empty()) first_qp_ = q;
      if (is_tcp(qp))
        senders_.push_back(std::make_unique<TcpSender>(world, q));
      else
        senders_.push_back(std::make_unique<Sender>(world, q, line_bps));
    }
    if (qp.dst != node) continue;
    if (is_tcp(qp))
      receivers_[q] = std::make_unique<TcpReceiver>();
    else
      receivers_[q] = std::make_unique<Receiver>();
  }
  for (Port& port : ports_) port.last_served = senders_.empty() ? 0 : senders_.size() - 1;  // QP 0 is checked first
  for (const SlowReceiver& slow : world.traffic.slow_receivers) {
    if (slow.endpoint == node) drain_ps_per_byte_q16_ = slow.drain_ps_per_byte_q16;
  }
  post_messages();
  plan_wakes(-1);
}

bool Endpoint::is_tcp(const Qp& qp) const {
  return sim_.world.fabric.classes[qp.traffic_class].transport == Transport::tcp;
}

void Endpoint::post_messages() {
  const Traffic& traffic = sim_.world.traffic;
  for (MessageId m = 0; m < traffic.messages.size(); ++m) {
    const Message& message = traffic.messages[m];
    const Qp& qp = traffic.qps[message.qp];
    if (qp.dst == node_) first_message_of_.emplace(message.qp, m);
    if (qp.src != node_) continue;
    senders_[message.qp - first_qp_]->append(message.bytes, m, kNever);
    if (message.waits_for == 0) post(m, message.post_ps);
  }
}

void Endpoint::post(MessageId m, TimePs t) {
  const Message& message = sim_.world.traffic.messages[m];
  senders_[message.qp - first_qp_]->post(m, t + sim_.world.roce.posting_delay_ps);
}

/// Posts a message that has waited until t.
void Endpoint::post_waiting(MessageId m, TimePs t) {
  const TimePs posted_ps = t + sim_.world.traffic.messages[m].post_ps;
  sim_.recorder.outcome().messages[m].posted_ps = posted_ps;
  post(m, posted_ps);
}

/// A message that this endpoint sent is acknowledged, or a message to it is received.
void Endpoint::message_done(MessageId m, bool received, TimePs t) {
  messages_done_.emplace(m, received);
  end_batches(t);
  for (const MessageWait& wait : sim_.world.traffic.waits) {
    if (wait.awaited != m || wait.received != received) continue;
    const Message& waiting = sim_.world.traffic.messages[wait.waiting];
    if (++done_for_[wait.waiting] != waiting.waits_for) continue;
    post_waiting(wait.waiting, t);
  }
}

/// Takes the batches that programs have handed over to this helper (MODEL.md, 9.14).
bool Endpoint::take_batches(TimePs t) {
  const ProgramPlan& plan = sim_.world.programs;
  const auto taken = batches_handed_over.take(t);
  for (const BatchNotice& notice : taken) {
    const Batch& batch = plan.batches[notice.batch];
    for (u32 i = 0; i < batch.posted; ++i) post_waiting(plan.posted[batch.first_posted + i], t);
    batches_.push_back(notice);
  }
  end_batches(t);
  return !taken.empty();
}

/// Ends the batches of which all awaited messages are done, and tells their GPUs.
void Endpoint::end_batches(TimePs t) {
  const ProgramPlan& plan = sim_.world.programs;
  std::erase_if(batches_, [&](const BatchNotice& notice) {
    const bool ended = has_ended(plan.batches[notice.batch]);
    if (ended) sim_.tell_end_of(notice, t + plan.handover_ps);
    return ended;
  });
}

bool Endpoint::has_ended(const Batch& batch) const {
  bool all = true;
  for (u32 i = 0; i < batch.awaited; ++i) {
    const AwaitedMessage& awaited = sim_.world.programs.awaited[batch.first_awaited + i];
    all = all && messages_done_.count({awaited.message, awaited.received}) == 1;
  }
  return all;
}

/// Runs the stages of MODEL.md 4.4. Work that they create for an earlier stage is handled in a further round.
void Endpoint::instant(TimePs t) {
  change_link(t);
  for (bool again = true; again;) {
    again = apply_pauses(t);
    sample(t);
    again |= drain(t);
    again |= take_arrivals(t);
    again |= gpu_.proxy_stage(t);
    again |= take_batches(t);
    again |= gpu_.nvlink_arrival_stage(t);
    again |= gpu_.nvlink_done_stage(t);
    again |= gpu_.copy_stage(t);
    again |= gpu_.post_stage(t);
    again |= check_timeouts(t);
    again |= send_delayed_acks(t);
    again |= gpu_.check_cts_timeouts(t);
    again |= gpu_.collective_stage(t);
  }
  for (u32 p = 0; p < ports_.size(); ++p) start(p, t);
  plan_wakes(t);
}

void Endpoint::change_link(TimePs t) {
  if (t == changed_ps_) return;
  changed_ps_ = t;
  for (Transmitter& port : transmitters_) {
    if (port.take_change(t)) buffers_.link_goes_down(sim_.world.fabric.links[port.link()].reverse);
  }
}

bool Endpoint::apply_pauses(TimePs t) {
  auto effects = pause_effects.take(t);
  for (const PauseEffect& effect : effects)
    transmitters_[sim_.world.fabric.links[effect.link].src_port].set_paused(effect.cls, effect.pause, t);
  return !effects.empty();
}

void Endpoint::sample(TimePs t) {
  bool slot = t % (TimePs{1} << sim_.world.clocks.slot_log2_ps) == 0;
  if (drain_ps_per_byte_q16_ == 0 || !slot || sampled_ps_ == t) return;
  sampled_ps_ = t;
  buffers_.sample(t, transmitters_);
}

bool Endpoint::drain(TimePs t) {
  bool any = false;
  for (; !held_.empty() && held_.front().done_ps == t; any = true) {
    Arrival arrival = held_.front().arrival;
    held_.pop_front();
    buffers_.release(arrival.link, arrival.packet);
    if (sim_.world.roce.ack_at_drain) process(arrival.packet, t);
  }
  return any;
}

bool Endpoint::take_arrivals(TimePs t) {
  auto arrived = arrivals.take(t);
  const auto port_of = [&](const Arrival& arrival) { return sim_.world.fabric.links[arrival.link].dst_port; };
  std::ranges::stable_sort(arrived, {}, port_of);
  for (const Arrival& arrival : arrived) {
    const Packet& packet = arrival.packet;
    bool slow = drain_ps_per_byte_q16_ > 0 && packet.kind == PacketKind::data &&
                buffers_.accounts_for(arrival.link, packet.cls);
    if (slow && !hold(arrival, t)) continue;
    if (!slow || !sim_.world.roce.ack_at_drain) process(packet, t);
  }
  return !arrived.empty();
}

/// Puts a packet into the receive buffer of a slow NIC. Returns false when the packet is dropped for lack of room.
bool Endpoint::hold(const Arrival& arrival, TimePs t) {
  const Packet& packet = arrival.packet;
  if (auto cause = buffers_.refuses(arrival.link, packet, t)) {
    u32 port = sim_.world.fabric.links[arrival.link].dst_port;
    sim_.recorder.event(EventKind::drop, t, node_, port, packet.cls, packet.id(), static_cast<u32>(*cause));
    sim_.links.drops_on_arrival(arrival.link);
    return false;
  }
  buffers_.charge(arrival.link, packet);
  drain_free_ps_ = std::max(drain_free_ps_, t) + ser_ps(packet.frame_bytes, drain_ps_per_byte_q16_);
  held_.push_back({arrival, drain_free_ps_});
  sim_.wake(node_, drain_free_ps_);
  return true;
}

void Endpoint::process(const Packet& packet, TimePs t) {
  switch (packet.kind) {
    case PacketKind::data:
      process_data(packet, t);
      return;
    case PacketKind::ack:
    case PacketKind::nak:
      process_acknowledgement(packet, t);
      return;
    case PacketKind::cnp:
      senders_[packet.qp - first_qp_]->cnp(t);
      return;
    case PacketKind::cts:
      gpu_.cts_arrived(packet, t);
      return;
    case PacketKind::cts_ack:
    case PacketKind::cts_nak:
      gpu_.cts_answered(packet, t);
      return;
  }
}

void Endpoint::process_data(const Packet& packet, TimePs t) {
  last_data_[packet.qp] = packet;
  ReceivingEnd::Reaction reaction = receivers_.at(packet.qp)->on_data(sim_.world, packet, t);
  Outcome& outcome = sim_.recorder.outcome();
  Totals& totals = outcome.totals;
  totals.data_packets_received += reaction.received.size();
  totals.data_packets_out_of_order += reaction.ahead > 0;
  totals.data_packets_duplicate += reaction.duplicate;
  totals.largest_reordering_packets = std::max(totals.largest_reordering_packets, reaction.ahead);

  const Qp& qp = sim_.world.traffic.qps[packet.qp];
  if (qp.connection == kNone) {  // explicit messages have outcomes of their own
    u64 at = first_message_of_.at(packet.qp) + reaction.messages_before;
    bool exists = at < outcome.messages.size() && sim_.world.traffic.messages[at].qp == packet.qp;
    if (exists && packet.marked) ++outcome.messages[at].ecn_marks;
    if (exists && reaction.cnp) ++outcome.messages[at].cnps;
  }
  for (const Packet& received : reaction.received) receive(received, t);

  for (const ReceivingEnd::Answer& what : reaction.answers) answer(packet, what);
  if (reaction.cnp) {
    queue_answer(reply(packet, PacketKind::cnp, 0, sim_.world.roce.cnp_wire_bytes));
    sim_.recorder.event(EventKind::cnp, t, node_, 0, 0, qp.receiver_number);
  }
}

/// Takes the next packet of its QP, in order.
void Endpoint::receive(const Packet& packet, TimePs t) {
  const Qp& qp = sim_.world.traffic.qps[packet.qp];
  const u32 connection = qp.connection, payload_bytes = framing_of(sim_.world, qp.traffic_class).payload_bytes;
  if (connection != kNone) {
    if (packet.last) gpu_.slice_part_received(connection, packet.message, t);
    return;
  }
  MessageOutcome& message = sim_.recorder.outcome().messages[packet.message];
  const u64 rest = sim_.world.traffic.messages[packet.message].bytes - message.received_bytes;
  message.received_bytes += std::min<u64>(rest, payload_bytes);  // all packets but the last are full
  if (!packet.last) return;
  message.received_ps = t;
  sim_.recorder.event(EventKind::message_received, t, node_, 0, 0, packet.message);
  message_done(static_cast<MessageId>(packet.message), true, t);
}

void Endpoint::process_acknowledgement(const Packet& packet, TimePs t) {
  u32 connection = sim_.world.traffic.qps[packet.qp].connection;
  const u64 window = senders_[packet.qp - first_qp_]->window();
  const std::vector<u64> done = senders_[packet.qp - first_qp_]->acknowledge(packet, t);
  report_window(packet.qp, window, t);
  for (u64 tag : done) {
    if (connection != kNone) {
      gpu_.slice_part_acked(connection, tag, t);
      continue;
    }
    sim_.recorder.outcome().messages[tag].acked_ps = t;
    sim_.recorder.event(EventKind::message_acked, t, node_, 0, 0, tag);
    message_done(static_cast<MessageId>(tag), false, t);
  }
}

/// Reports the window of a TCP connection, if it is another one than before.
void Endpoint::report_window(QpId qp, u64 before, TimePs t) {
  const u64 now = senders_[qp - first_qp_]->window();
  if (now == before) return;
  sim_.recorder.event(EventKind::tcp_window, t, node_, 0, 0, now, sim_.world.traffic.qps[qp].sender_number);
}

/// Creates an ACK or NAK, which goes back the way of the data.
void Endpoint::answer(const Packet& data, const ReceivingEnd::Answer& what) {
  const u32 wire_bytes = framing_of(sim_.world, data.cls).ack_wire_bytes;
  Packet packet = reply(data, what.kind, what.psn, wire_bytes);
  packet.marked = what.ece;
  packet.last = what.dsack;
  queue_answer(packet);
}

/// The ACKs and SACKs of TCP travel in the class of their data; ACKs, NAKs and CNPs of RoCE in class 0, or else there.
void Endpoint::queue_answer(Packet packet) {
  const Qp& qp = sim_.world.traffic.qps[packet.qp];
  if (is_tcp(qp) || !sim_.world.roce.ack_high_priority) packet.cls = qp.traffic_class;
  queue(packet);
}

/// Puts a control packet into the FIFO of the port that it is from.
void Endpoint::queue(const Packet& packet) {
  ports_[packet.src % sim_.world.fabric.nic_ports].control[packet.cls].push_back(packet);
}

Packet Endpoint::reply(const Packet& packet, PacketKind kind, u64 psn, u32 wire_bytes) const {
  const Qp& qp = sim_.world.traffic.qps[packet.qp];
  Packet p;
  p.kind = kind;
  p.cls = 0;
  p.src = packet.dst;
  p.dst = packet.src;
  p.dst_qp = goes_with_data(packet.kind) ? qp.sender_number : qp.receiver_number;
  p.qp = packet.qp;
  p.source_port = 0xC000u | qp.source_port_entropy;
  p.psn = static_cast<u32>(psn & 0xffffff);
  p.frame_bytes = wire_bytes - sim_.world.fabric.wire_gap_bytes;
  return p;
}

void Endpoint::send_slice_part(QpId qp, u64 bytes, u64 slice, TimePs t) {
  senders_[qp - first_qp_]->append(bytes, slice, t);
}

Packet Endpoint::send_cts(QpId qp, const Cts& cts, TimePs t) {
  const u32 port = ports_in_service(sim_.world.traffic.qps[qp], t).front();
  Packet data;  // the CTS goes as an answer to data by this port would
  data.qp = qp;
  data.src = address_of(sim_.world.fabric, sim_.world.traffic.qps[qp].src, port);
  data.dst = address_of(sim_.world.fabric, node_, port);
  Packet packet = reply(data, PacketKind::cts, cts.number, sim_.world.roce.cts_wire_bytes);
  packet.message = cts.slice;
  packet.cls = class_of_ctss(qp);
  queue(packet);
  return packet;
}

/// CTSs and their answers travel in class 0, or else in the class of their data.
u32 Endpoint::class_of_ctss(QpId qp) const {
  return sim_.world.roce.cts_high_priority ? 0 : sim_.world.traffic.qps[qp].traffic_class;
}

void Endpoint::answer_cts(const Packet& cts, PacketKind kind, u64 number) {
  Packet packet = reply(cts, kind, number, sim_.world.roce.ack_wire_bytes);
  packet.cls = class_of_ctss(cts.qp);
  queue(packet);
}

bool Endpoint::check_timeouts(TimePs t) {
  bool any = false;
  for (std::size_t i = 0; i < senders_.size(); ++i) {
    if (senders_[i]->rto_deadline() > t) {
      if (senders_[i]->low_deadline() > t) continue;
      const u64 window = senders_[i]->window();
      senders_[i]->time_out_low(t);
      report_window(static_cast<QpId>(first_qp_ + i), window, t);
      any = true;
      continue;
    }
    const Qp& qp = sim_.world.traffic.qps[first_qp_ + i];
    const u64 window = senders_[i]->window();
    const bool goes_on = senders_[i]->time_out(t);
    report_window(static_cast<QpId>(first_qp_ + i), window, t);
    if (!goes_on) {
      const u32 tries = is_tcp(qp) ? sim_.world.tcp.retries : sim_.world.roce.rto_tries;
      sim_.fail(t, "QP " + std::to_string(qp.sender_number) + " of endpoint " + std::to_string(node_) +
                       " got no acknowledgement after " + std::to_string(tries) + " timeouts");
      continue;
    }
    any = true;
    sim_.recorder.event(EventKind::timeout, t, node_, 0, 0, qp.sender_number);
  }
  return any;
}

/// Creates the delayed ACKs of TCP that are due, in order of receiver_number.
bool Endpoint::send_delayed_acks(TimePs t) {
  std::map<u32, QpId> due;  // by receiver_number
  for (const auto& [qp, receiver] : receivers_) {
    if (receiver->ack_deadline() <= t) due[sim_.world.traffic.qps[qp].receiver_number] = qp;
  }
  for (const auto& [number, qp] : due) answer(last_data_.at(qp), receivers_.at(qp)->delayed_ack());
  return !due.empty();
}

/// The ports in service between the NICs of a QP with an end here, from its home port on; all, if none is (8.10).
std::vector<u32> Endpoint::ports_in_service(const Qp& qp, TimePs t) const {
  const Failures& failures = sim_.world.failures;
  const EndpointId peer = qp.src == node_ ? qp.dst : qp.src;
  const u32 out =
      ports_out_at(failures.ports_out_of(node_), t).own | ports_out_at(failures.ports_out_of(peer), t).others;
  const u32 ports = static_cast<u32>(ports_.size());
  u32 home = 0;
  for (u32 left = ports == 1 ? 0 : qp.sender_number; left > 0; left /= ports) home += left % ports;
  std::vector<u32> all, in;
  for (u32 step = 0; step < ports; ++step) {
    all.push_back((home + step) % ports);
    if (((out >> all.back()) & 1) == 0) in.push_back(all.back());
  }
  return in.empty() ? all : in;
}

bool Endpoint::sends_by(const Qp& qp, u32 port, TimePs t) const {
  const std::vector<u32> in = ports_in_service(qp, t);
  if (is_tcp(qp) || sim_.world.roce.port_choice == PortChoice::per_qp) return port == in.front();
  return std::ranges::find(in, port) != in.end();
}

/// Returns the first QP of the class, cyclically after the one that the port served last, that may send by it at `t`.
std::optional<QpId> Endpoint::served_qp(u32 port, u32 cls, TimePs t) const {
  for (std::size_t step = 1; step <= senders_.size(); ++step) {
    std::size_t i = (ports_[port].last_served + step) % senders_.size();
    const Qp& qp = sim_.world.traffic.qps[first_qp_ + i];
    if (qp.traffic_class != cls || senders_[i]->ready_at() > t) continue;
    if (sends_by(qp, port, t)) return static_cast<QpId>(first_qp_ + i);
  }
  return std::nullopt;
}

void Endpoint::start(u32 port, TimePs t) {
  Transmitter& transmitter = transmitters_[port];
  auto& control = ports_[port].control;
  if (!transmitter.idle(t)) return;
  Heads heads{};
  for (u32 c = 0; c < sim_.world.fabric.classes.size(); ++c) {
    if (transmitter.paused(c)) continue;
    if (!control[c].empty())
      heads[c] = control[c].front().frame_bytes;
    else if (auto qp = served_qp(port, c, t))
      heads[c] = senders_[*qp - first_qp_]->next_wire_bytes() - sim_.world.fabric.wire_gap_bytes;
  }
  auto cls = transmitter.scheduler.choose(heads);
  if (!cls) return;
  if (control[*cls].empty()) {
    start_data(port, *served_qp(port, *cls, t), t);
    return;
  }
  Packet packet = control[*cls].front();
  control[*cls].pop_front();
  transmitter.send(packet, t);
}

void Endpoint::start_data(u32 port, QpId qp, TimePs t) {
  ports_[port].last_served = qp - first_qp_;
  const u64 window = senders_[qp - first_qp_]->window();
  SendingEnd::Start start = senders_[qp - first_qp_]->start(t, port);
  report_window(qp, window, t);
  if (senders_[qp - first_qp_]->keeps_turn())
    ports_[port].last_served = (qp - first_qp_ + senders_.size() - 1) % senders_.size();
  if (sim_.world.traffic.qps[qp].connection == kNone) {
    MessageOutcome& message = sim_.recorder.outcome().messages[start.packet.message];
    if (message.start_ps < 0) message.start_ps = t;
    if (start.retransmission) ++message.retransmitted_packets;
  }
  if (start.retransmission) sim_.recorder.event(EventKind::retransmit, t, node_, 0, 0, start.packet.id());
  transmitters_[port].send(start.packet, t);
}

/// Schedules wake-ups for instants that no other event announces: messages, pacing, timeouts, delayed ACKs, slots
/// of a slow receiver.
void Endpoint::plan_wakes(TimePs t) {
  const TimePs slot_ps = TimePs{1} << sim_.world.clocks.slot_log2_ps;
  TimePs deadline = gpu_.cts_deadline();
  for (const auto& sender : senders_) {
    if (sender->ready_at() > t) sim_.wake(node_, sender->ready_at());
    deadline = std::min({deadline, sender->rto_deadline(), sender->low_deadline()});
  }
  for (const auto& [qp, receiver] : receivers_) deadline = std::min(deadline, receiver->ack_deadline());
  sim_.set_timeout(node_, deadline);
  if (buffers_.busy()) sim_.wake(node_, t - t % slot_ps + slot_ps);
}

bool Endpoint::busy() const {
  bool answers_wait = false;
  for (const Port& port : ports_) {
    for (const auto& fifo : port.control) answers_wait = answers_wait || !fifo.empty();
  }
  return answers_wait || !held_.empty() || buffers_.busy() || !arrivals.empty() || !pause_effects.empty();
}

}  // namespace heddle::oracle
