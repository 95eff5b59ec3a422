// Queue pairs and messages that are routed over each link.
#pragma once

#include "kernels/base/types.hpp"

namespace heddle {

/// The queue pairs that have something to send and whose data's routes lead over a link, and their explicit messages.
/// Where a policy is multipath, all next hops among which it may choose count.
struct RoutedFlows {
  u64 qps = 0, messages = 0;
  bool operator==(const RoutedFlows&) const = default;
};

}  // namespace heddle
