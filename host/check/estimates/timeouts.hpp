// Retransmission timeouts that fire although nothing is lost: what is sent again then fills the queues further.
#pragma once

#include <string>

#include "host/check/estimates/link_loads.hpp"

namespace heddle {

struct TimeoutRisk {
  std::string warning;    // empty: none is foreseen
  bool certain = false;   // else only of packets that come when queues are full
  double held_bytes = 0;  // that buffers on the ways to the busiest link can hold
  explicit operator bool() const { return !warning.empty(); }
};

/// Compares roce.rto with the longest way there and back, with the wait in the longest queue, and with how often a
/// queue pair's packets come to their turn there. With congestion control queues are cut short; then only the last is
/// foreseen.
TimeoutRisk timeout_risk(const World& world, const LinkLoads& loads);

}  // namespace heddle
