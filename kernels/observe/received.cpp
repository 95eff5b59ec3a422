#include "kernels/observe/received.hpp"

#include <algorithm>

#include "kernels/transport/streams.hpp"

namespace heddle {
namespace {

/// A receiver's messages: all that come before the present one are whole, of that one every packet but the last is
/// full.
void add_receiver(const View& v, const ReceiverPlan& plan, const Receiver& receiver, std::vector<u64>& bytes) {
  u32 begin = 0;  // PSN of the message's first packet
  for (u32 m = plan.first_message; m < plan.first_message + receiver.message; ++m) {
    bytes[m] = v.endpoint.message.bytes[m];
    begin += packets_of(v.settings, bytes[m]);
  }
  if (receiver.message == plan.messages) return;
  const u32 present = plan.first_message + receiver.message;
  const u64 full = u64{receiver.expected - begin} * v.settings.roce.mtu_bytes;
  bytes[present] = std::min(full, v.endpoint.message.bytes[present]);
}

}  // namespace

std::vector<u64> received_bytes(const Model& model) {
  const View& v = model.view;
  std::vector<u64> bytes(model.messages, 0);
  for (u32 i = 0; i < v.endpoint.first_receiver[v.endpoints]; ++i) {
    const ReceiverPlan& plan = v.endpoint.receiver_plan[i];
    if (plan.connection == kNone) add_receiver(v, plan, v.endpoint.receiver[i], bytes);
  }
  return bytes;
}

}  // namespace heddle
