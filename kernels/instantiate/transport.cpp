// NICs, queue pairs, messages.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/base/units.hpp"
#include "kernels/congestion/controls.hpp"
#include "kernels/instantiate/instantiate.hpp"
#include "kernels/transport/timers.hpp"

namespace heddle {
namespace {

/// Traffic class of packets that acknowledge or admit data.
u16 class_of(bool high_priority, const Qp& qp) { return high_priority ? 0 : qp.traffic_class; }

/// Index of the first queue pair of each endpoint, among all and among those in tables.
struct QpOrder {
  std::vector<u32> first_sender, first_receiver;  // [local endpoint + 1]
  std::vector<u32> first_sender_plan, first_receiver_plan;
};

/// Numbers the TCP connections with an end in this part, and adds their state.
void add_tcp(const World& world, const QpOrder& order, SenderPlan* senders, ReceiverPlan* receivers, Model& model) {
  u32 sending = 0, receiving = 0;
  for (const Qp& qp : world.traffic.qps) {
    if (!is_tcp(world, qp.traffic_class)) continue;
    if (qp.connection != kNone) throw std::invalid_argument("transport: collectives do not run over TCP");
    const u32 src = model.local_endpoint[qp.src], dst = model.local_endpoint[qp.dst];
    if (src != kNone) senders[order.first_sender_plan[src] + qp.sender_number].tcp = sending++;
    if (dst == kNone) continue;
    ReceiverPlan& plan = receivers[order.first_receiver_plan[dst] + qp.receiver_number];
    plan.tcp = receiving++;
    plan.answer_class = qp.traffic_class;
  }
  if (!model.view.settings.any_tcp) return;
  View& v = model.view;
  Arrays& a = model.arrays;
  TcpConnections& tcp = v.endpoint.tcp;
  const u64 words = world.tcp.window_segments / 64;
  TcpSender* sender = a.add<TcpSender>(v, tcp.sender, "TCP senders", StateKind::dense, sending);
  std::fill_n(sender, sending, TcpSender());
  a.add<u64>(v, tcp.sacked, "SACKed", StateKind::dense, sending * words);
  TcpReceiver* receiver = a.add<TcpReceiver>(v, tcp.receiver, "TCP receivers", StateKind::dense, receiving);
  std::fill_n(receiver, receiving, TcpReceiver());
  a.add<u64>(v, tcp.placed, "TCP placed ahead", StateKind::dense, receiving * words);
  a.add<u64>(v, tcp.placed_last, "TCP placed ahead, last of messages", StateKind::dense, receiving * words);
}

/// Turns counts into offsets. Throws std::invalid_argument when 32 bits do not suffice.
void sum_up(std::vector<u32>& counts) {
  u64 sum = 0;
  for (u32& count : counts) {
    sum += count;
    if (sum > 0xffffffff)
      throw std::invalid_argument(
          "transport: there are more than 4,294,967,295 queue pairs of one direction in all (32 bits); take fewer "
          "channels (job.channels, job.p2p_channels) or queue pairs (job.qps_per_connection), or smaller all-to-alls");
    count = static_cast<u32>(sum);
  }
}

QpOrder count_qps(const World& world, const Model& model) {
  const std::vector<u32> none(model.view.endpoints + 1, 0);
  QpOrder order{none, none, none, none};
  for (const Qp& qp : world.traffic.qps) {
    const u32 src = model.local_endpoint[qp.src], dst = model.local_endpoint[qp.dst];
    if (src != kNone) ++order.first_sender_plan[src + 1];
    if (dst != kNone) ++order.first_receiver_plan[dst + 1];
  }
  order.first_sender = order.first_sender_plan;
  order.first_receiver = order.first_receiver_plan;
  for (const Job& job : world.collectives.jobs) {
    if (!job.all_pairs) continue;
    const u64 qps = network_pairs(job) / job.ranks.size() * job.all_pairs.channels * job.all_pairs.qps;
    for (EndpointId gpu : job.ranks) {
      const u32 e = model.local_endpoint[gpu];
      if (e == kNone) continue;
      if (order.first_sender[e + 1] != 0 || order.first_receiver[e + 1] != 0 || qps > kMaxQpsPerEndpoint)
        throw std::invalid_argument("transport: the GPUs of an all-to-all without tables carry nothing else");
      order.first_sender[e + 1] = order.first_receiver[e + 1] = static_cast<u32>(qps);
    }
  }
  for (u32 e = 0; e < model.view.endpoints; ++e) {
    if (order.first_sender[e + 1] > kMaxQpsPerEndpoint || order.first_receiver[e + 1] > kMaxQpsPerEndpoint)
      throw std::invalid_argument("transport: an endpoint has more than 65,536 queue pairs of one direction (16 bits)");
  }
  for (std::vector<u32>* counts :
       {&order.first_sender, &order.first_receiver, &order.first_sender_plan, &order.first_receiver_plan})
    sum_up(*counts);
  return order;
}

void add_messages(const World& world, Model& model) {
  View& v = model.view;
  Arrays& a = model.arrays;
  MessageLog& log = v.endpoint.message;
  const auto& messages = world.traffic.messages;
  model.messages = messages.size();
  model.messages_sent = static_cast<u64>(std::count_if(messages.begin(), messages.end(), [&](const Message& m) {
    return model.local_endpoint[world.traffic.qps[m.qp].src] != kNone;
  }));
  u64* bytes = a.add<u64>(v, log.bytes, "message bytes", StateKind::plan, messages.size());
  TimePs* available = a.add<TimePs>(v, log.available_ps, "message available", StateKind::plan, messages.size());
  SentMessage* sent = a.add<SentMessage>(v, log.sent, "messages sent", StateKind::dense, messages.size());
  ReceivedMessage* received =
      a.add<ReceivedMessage>(v, log.received, "messages received", StateKind::dense, messages.size());
  std::fill_n(sent, messages.size(), SentMessage());
  std::fill_n(received, messages.size(), ReceivedMessage());
  for (std::size_t m = 0; m < messages.size(); ++m) {
    bytes[m] = messages[m].bytes;
    available[m] = messages[m].waits_for != 0 ? kNever : messages[m].post_ps + world.roce.posting_delay_ps;
  }
  instantiate_message_waits(world, model);
}

/// Bytes of state of a sending end, with its place among the timers.
u64 sender_bytes(const World& world, const Settings& s) {
  return sizeof(Sender) + sizeof(Timer) + s.congestion.state_bytes + sender_window_bytes(world.roce) +
         (world.roce.selective() ? sizeof(LowTimer) : 0);
}

/// Adds the per-queue-pair state of selective repeat.
void add_windows(const World& world, Model& model, u64 senders, u64 receivers) {
  if (!world.roce.selective()) return;
  View& v = model.view;
  Arrays& a = model.arrays;
  Endpoints& ep = v.endpoint;
  const u64 words = world.roce.reorder_window_packets / 64;
  a.add<LowTimer>(v, ep.low_timer, "low timers", StateKind::dense, senders, model.use);
  a.add<u64>(v, ep.repeat, "to be sent again", StateKind::dense, senders * words, model.use);
  a.add<u64>(v, ep.placed, "placed ahead", StateKind::dense, receivers * words, model.use);
  a.add<u64>(v, ep.placed_last, "placed ahead, last of messages", StateKind::dense, receivers * words, model.use);
  a.add<u32>(v, ep.seen_end, "highest PSN seen", StateKind::dense, receivers, model.use);
}

}  // namespace

void instantiate_transport(const World& world, Model& model) {
  View& v = model.view;
  Arrays& a = model.arrays;
  Endpoints& ep = v.endpoint;
  const auto& qps = world.traffic.qps;
  const QpOrder order = count_qps(world, model);
  a.add_plan(v, ep.first_sender, "first sender", order.first_sender);
  a.add_plan(v, ep.first_receiver, "first receiver", order.first_receiver);
  a.add_plan(v, ep.first_sender_plan, "first sender plan", order.first_sender_plan);
  a.add_plan(v, ep.first_receiver_plan, "first receiver plan", order.first_receiver_plan);

  const u32 senders = order.first_sender.back(), receivers = order.first_receiver.back();
  const u32 sender_plans = order.first_sender_plan.back(), receiver_plans = order.first_receiver_plan.back();
  SenderPlan* sender_plan = a.add<SenderPlan>(v, ep.sender_plan, "sender plans", StateKind::plan, sender_plans);
  ReceiverPlan* receiver_plan =
      a.add<ReceiverPlan>(v, ep.receiver_plan, "receiver plans", StateKind::plan, receiver_plans);
  a.add<Sender>(v, ep.sender, "senders", StateKind::dense, senders, model.use);
  a.add<Receiver>(v, ep.receiver, "receivers", StateKind::dense, receivers, model.use);
  if (v.settings.congestion.any()) {
    CongestionControls::visit(v.settings.congestion.number, [&](auto tag) {
      using Control = typename decltype(tag)::Control;
      auto& control = ep.control.of<Control>();
      a.add_plan(v, control.settings, "congestion control settings", std::vector{prepared<Control>(world.congestion)});
      a.add<typename Control::State>(v, control.state, "congestion control", StateKind::dense, senders, model.use);
    });
  }
  a.add<Timer>(v, ep.timers, "timers", StateKind::derived, senders, model.use);
  add_windows(world, model, senders, receivers);
  if (model.use == Use::sparse) {
    model.used_bytes += sender_plans * sender_bytes(world, v.settings) +
                        receiver_plans * (sizeof(Receiver) + receiver_window_bytes(world.roce));
  }
  add_messages(world, model);

  std::vector<u32> first_message(qps.size() + 1, 0);
  for (const Message& m : world.traffic.messages) ++first_message[m.qp + 1];
  for (std::size_t q = 0; q < qps.size(); ++q) first_message[q + 1] += first_message[q];
  for (std::size_t q = 0; q < qps.size(); ++q) {
    const Qp& qp = qps[q];
    const u32 messages = first_message[q + 1] - first_message[q];
    const u32 src = model.local_endpoint[qp.src], dst = model.local_endpoint[qp.dst];
    if (src != kNone) {
      sender_plan[order.first_sender_plan[src] + qp.sender_number] = {
          qp.dst,           qp.receiver_number, qp.source_port_entropy, qp.traffic_class,
          first_message[q], messages,           qp.connection,          qp.scaling_index};
    }
    if (dst != kNone) {
      receiver_plan[order.first_receiver_plan[dst] + qp.receiver_number] = {qp.src,
                                                                            qp.sender_number,
                                                                            qp.source_port_entropy,
                                                                            first_message[q],
                                                                            messages,
                                                                            qp.connection,
                                                                            qp.scaling_index,
                                                                            class_of(world.roce.ack_high_priority, qp),
                                                                            class_of(world.roce.cts_high_priority, qp)};
    }
  }

  add_tcp(world, order, sender_plan, receiver_plan, model);

  std::vector<EndpointId> ids(v.endpoints);
  for (u32 e = 0; e < v.endpoints; ++e) ids[e] = v.node_id[v.switches + e];
  a.add_plan(v, ep.id, "endpoint ids", ids);
  std::vector<u32> ready_first(v.endpoints + 1, 0);
  for (u32 e = 0; e < v.endpoints; ++e) {
    const u32 words = (order.first_sender[e + 1] - order.first_sender[e] + 63) / 64;
    ready_first[e + 1] = ready_first[e] + count_ports(v, e) * words * (v.settings.classes - 1);
  }
  a.add_plan(v, ep.first_ready_word, "first ready word", ready_first);
  a.add<u64>(v, ep.ready, "ready sets", StateKind::derived, ready_first[v.endpoints]);

  const u32 more = v.links - v.first_link[v.switches] - v.endpoints;
  NicPort* port = a.add<NicPort>(v, ep.more_ports, "ports of nics", StateKind::dense, more);
  for (u32 p = 0; p < more; ++p) port[p] = {.last_served = kNone};
  Nic* nic = a.add<Nic>(v, ep.nic, "nics", StateKind::dense, v.endpoints);
  for (u32 e = 0; e < v.endpoints; ++e) {
    nic[e] = Nic{};
    nic[e].first_port.last_served = kNone;
    nic[e].line_bps = bits_per_s_of(v.egress[v.first_link[v.switches + e]].ps_per_byte_q16);
    if (v.settings.roce.port_choice == PortChoice::per_packet) nic[e].line_bps *= count_ports(v, e);
    // One timer each at instant 0 makes every sender with messages compute what it waits for.
    const u32 plans = order.first_sender_plan[e + 1] - order.first_sender_plan[e];
    for (u32 n = 0; n < plans; ++n) {
      if (sender_plan[order.first_sender_plan[e] + n].messages == 0) continue;
      push_timer(ep.timers + order.first_sender[e], nic[e], {0, n});
      ep.sender[order.first_sender[e] + n].timed = true;
    }
  }
  for (const SlowReceiver& slow : world.traffic.slow_receivers) {
    const u32 e = model.local_endpoint[slow.endpoint];
    if (e != kNone) nic[e].slow.drain_ps_per_byte_q16 = slow.drain_ps_per_byte_q16;
  }
}

}  // namespace heddle
