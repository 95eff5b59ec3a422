// Timeouts of TCP that fire before an ACK can come.
#pragma once

#include <string>

#include "host/check/estimates/link_loads.hpp"

namespace heddle {

/// Compares tcp.rto_initial, rto_max and rto_min with the longest round trip of a connection with all queues empty;
/// empty where all are longer, or round trips are unknown.
std::string tcp_timeout_warning(const World& world, const LinkLoads& loads);

/// The key of the timer that fires first where nothing is lost, the one to lengthen against needless timeouts: of RoCE
/// and TCP the shorter, by the transports that carry data.
const char* shortest_timer(const World& world);

}  // namespace heddle
