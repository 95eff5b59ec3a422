// The data that receivers have received: bytes of each explicit message, and packets by queue pair.
#pragma once

#include <functional>
#include <vector>

#include "kernels/state/model.hpp"

namespace heddle {

/// Payload bytes received in order, by message of the World, from the PSN that each receiver expects; zeros for
/// receivers of other parts. The host's copy of the state must be current.
std::vector<u64> received_bytes(const Model& model);

/// Called for a queue pair: endpoints of the World, its number among the receivers of `dst` (Qp::receiver_number), and
/// data packets received in order since the start, mod 2^32.
using ReceivedVisitor = std::function<void(EndpointId src, EndpointId dst, u32 receiver, u32 packets)>;

/// Visits the queue pairs of this part's receivers with any packets. The host's copy of the state must be current.
void visit_received(const Model& model, const ReceivedVisitor& visit);

}  // namespace heddle
