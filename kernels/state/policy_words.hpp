// Addresses of the state of routing policies.
#pragma once

#include "kernels/state/view.hpp"

namespace heddle {

/// Words of one port, those of class 0 first.
struct PolicyWords {
  u64* words;
  u32 count;  // of all classes
};

/// State of the policy of local switch `node` for the ingress queues of the port of egress link `own`.
HEDDLE_FN PolicyWords policy_words(const View& v, u32 node, u32 own) {
  const u32 count = v.policy_state_words[node] * v.settings.classes;
  return {v.policy_state + v.policy_state_first[node] + u64{own - v.first_link[node]} * count, count};
}

}  // namespace heddle
