#include "kernels/observe/invariants/phases.hpp"

#include "kernels/state/broken_phase.hpp"

namespace heddle {
namespace {

const char* words(PhaseRule rule) {
  switch (rule) {
    case PhaseRule::none:
      break;
    case PhaseRule::packets_routed:
      return "packets were routed to egress queues, not as many as were due on the ingress wires";
    case PhaseRule::packets_ordered:
      return "is the sum of the arrivals' numbers after ordering: some are missing or there twice";
    case PhaseRule::order_of_time:
      return "ps into the pass an arrival is ordered behind a later one of its egress queue";
    case PhaseRule::packets_enqueued:
      return "packets were added to an egress queue, not as many as were ordered for it";
    case PhaseRule::bytes_enqueued:
      return "bytes are counted by an egress queue, not what its packets hold";
    case PhaseRule::packets_served:
      return "more packets were started by an egress queue than waited in it";
    case PhaseRule::bytes_released:
      return "bytes were released from a PFC account, more than it held";
    case PhaseRule::packets_taken:
      return "packets were taken off an ingress wire, more than were on it";
    case PhaseRule::start_in_order:
      return "ps is when the NIC starts a packet, before its transmitter is free";
    case PhaseRule::clock_forward:
      return "ps is the instant that the pass turns to, back from a later one";
  }
  return "breaks a rule that has no words";
}

}  // namespace

std::string check_phases(const Reading& r) {
  const BrokenPhase& record = *r.v.broken_phase;
  if (record.count == 0) return {};
  return "invariant violated at node " + std::to_string(record.node) + ", in the pass from " +
         std::to_string(record.from_ps) + " ps: " + std::to_string(record.is) + " " +
         words(static_cast<PhaseRule>(record.rule)) + " (" + std::to_string(record.must) + ")";
}

}  // namespace heddle
