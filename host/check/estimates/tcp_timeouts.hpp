// Timeouts of TCP that fire before an ACK can come.
#pragma once

#include <string>

#include "host/check/estimates/link_loads.hpp"

namespace heddle {

/// Compares tcp.rto_initial, rto_max and rto_min with the longest round trip of a connection with all queues empty;
/// empty where all are longer, or round trips are unknown.
std::string tcp_timeout_warning(const World& world, const LinkLoads& loads);

}  // namespace heddle
