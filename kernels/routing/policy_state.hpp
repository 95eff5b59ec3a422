// What the policies keep, by their settings alone: known before an engine is made.
#pragma once

#include "kernels/state/routing.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// The policy of this number with its settings: from the configuration, else its defaults. It has no tables yet.
PolicyView with_settings(const Routing& routing, u32 number);

/// Words of state that the policy of a switch keeps for every ingress queue.
u64 policy_state_words(const World& world, NodeId at);

}  // namespace heddle
