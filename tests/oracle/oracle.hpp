// The reference: a sequential, event-driven simulator of the model in kernels/MODEL.md. It is slow and obvious on
// purpose. It shares with the engine the World, the Outcome, units and hash, and nothing else.
#pragma once

#include "kernels/outcome/outcome.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct OracleOptions {
  bool trace = false;      // departures enter the digest, too
  u32 recorded_kinds = 0;  // bit k set: events of EventKind k are kept in Outcome::events
};

/// Runs `world` to its end. Throws std::invalid_argument when the tables contradict each other.
Outcome simulate(const World& world, const OracleOptions& options);

}  // namespace heddle
