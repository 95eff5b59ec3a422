// NICs that drain slower than their line: their receive buffers and PFC thresholds.
#pragma once

#include <span>

#include "host/scenario/workload/options.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Fills traffic.slow_receivers and gives each slow NIC's downlink a PFC profile with computed headroom. Throws
/// ConfigError: endpoint out of range or given twice, a drain rate above the line, XON not below XOFF, no lossless
/// class.
void add_slow_receivers(std::span<const SlowReceiverOptions> options, World& world);

}  // namespace heddle
