// Queue pairs and messages that are routed over each link.
#pragma once

#include "kernels/base/types.hpp"

namespace heddle {

/// The queue pairs that have data to send and whose data's routes include a link, and their explicit messages. For a
/// multipath policy, all next hops among which it may choose count.
struct RoutedFlows {
  u64 qps = 0, messages = 0;
  bool operator==(const RoutedFlows&) const = default;
};

}  // namespace heddle
