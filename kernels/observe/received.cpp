#include "kernels/observe/received.hpp"

#include "kernels/state/pairs.hpp"
#include "kernels/transport/streams.hpp"

namespace heddle {
namespace {

/// Adds a receiver's messages: all before the current one are complete. The current one lacks its last packet, since
/// reception of that makes the next message current, so its received packets are full.
void add_receiver(const View& v, const ReceiverPlan& plan, const Receiver& receiver, std::vector<u64>& bytes) {
  const u32 payload = plan.tcp == kNone ? v.settings.roce.mtu_bytes : v.settings.tcp.segment_bytes;
  u32 begin = 0;  // PSN of the message's first packet
  for (u32 m = plan.first_message; m < plan.first_message + receiver.message; ++m) {
    bytes[m] = v.endpoint.message.bytes[m];
    begin += packets_of(payload, bytes[m]);
  }
  if (receiver.message == plan.messages) return;
  const u32 present = plan.first_message + receiver.message;
  bytes[present] = u64{receiver.expected - begin} * payload;
}

}  // namespace

std::vector<u64> received_bytes(const Model& model) {
  const View& v = model.view;
  const Endpoints& ep = v.endpoint;
  std::vector<u64> bytes(model.messages, 0);
  for (u32 e = 0; e < v.endpoints; ++e) {
    // Ranks of an all-to-all in closed form have receivers but no plans; they receive no messages.
    const u32 first = ep.first_receiver_plan[e], plans = ep.first_receiver_plan[e + 1] - first;
    for (u32 n = 0; n < plans; ++n) {
      const ReceiverPlan& plan = ep.receiver_plan[first + n];
      if (plan.connection == kNone) add_receiver(v, plan, ep.receiver[ep.first_receiver[e] + n], bytes);
    }
  }
  return bytes;
}

void visit_received(const Model& model, const ReceivedVisitor& visit) {
  const View& v = model.view;
  for (u32 e = 0; e < v.endpoints; ++e) {
    const PairsRank pairs(v, e);
    const u32 first = v.endpoint.first_receiver[e];
    for (u32 n = 0; n < v.endpoint.first_receiver[e + 1] - first; ++n) {
      const u32 packets = v.endpoint.receiver[first + n].expected;
      if (packets != 0) visit(receiver_plan(v, pairs, e, n).src, v.node_id[v.switches + e], n, packets);
    }
  }
}

}  // namespace heddle
