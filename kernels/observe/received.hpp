// How much receivers have got: of each explicit message, and by queue pair.
#pragma once

#include <functional>
#include <vector>

#include "kernels/state/model.hpp"

namespace heddle {

/// Payload bytes received in order, by message of the World; zeros for those of other parts' receivers. It follows from
/// the PSN that each receiver expects. The host's copy of the state must be current.
std::vector<u64> received_bytes(const Model& model);

/// Of a queue pair: endpoints of the World, and data packets received in order since the start of the run, mod 2^32.
using ReceivedVisitor = std::function<void(EndpointId src, EndpointId dst, u32 packets)>;

/// Visits the queue pairs of this part's receivers that have got any. The host's copy of the state must be current.
void visit_received(const Model& model, const ReceivedVisitor& visit);

}  // namespace heddle
