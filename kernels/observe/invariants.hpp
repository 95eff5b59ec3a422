// What must hold between any two ticks; EngineOptions::check and debug builds verify it.
#pragma once

#include <string>

#include "kernels/expand.hpp"

namespace heddle {

/// Verifies the host's copy of the state at `now_ps`, `parity` being what the last tick published. Returns the first
/// violation in words, or an empty string:
///   queues   bytes are conserved, FIFOs are in order of time, nothing on the wire is overdue
///   PFC      an account is what its packets sum to, and within XOFF + headroom; pools are what their accounts sum to
///   QPs      una <= next <= sent end; ready sets count what they hold
std::string find_violation(const Model& model, TimePs now_ps, u32 parity);

}  // namespace heddle
