// How much of each explicit message its receiver has got.
#pragma once

#include <vector>

#include "kernels/state/model.hpp"

namespace heddle {

/// Payload bytes received in order, by message of the World; zeros for those of other parts' receivers. It follows from
/// the PSN that each receiver expects. The host's copy of the state must be current.
std::vector<u64> received_bytes(const Model& model);

}  // namespace heddle
