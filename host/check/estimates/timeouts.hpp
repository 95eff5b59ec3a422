// Retransmission timeouts that fire although no packet is lost: the retransmissions then fill the queues further.
#pragma once

#include <string>

#include "host/check/estimates/link_loads.hpp"

namespace heddle {

struct TimeoutRisk {
  std::string warning;    // empty: no such timeout is foreseen
  bool certain = false;   // false: only packets that arrive when queues are full are affected
  double held_bytes = 0;  // capacity of the buffers on the paths to the busiest link
  explicit operator bool() const { return !warning.empty(); }
};

/// Compares roce.rto with the longest round trip, with the wait in the longest queue, and with the time between turns
/// of a queue pair's packets there. With congestion control queues are kept short; then only the last is foreseen.
TimeoutRisk timeout_risk(const World& world, const LinkLoads& loads);

}  // namespace heddle
