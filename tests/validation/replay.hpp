// A peer's run replayed, and how far apart the two are.
#pragma once

#include <map>
#include <string>

#include "kernels/engine/engine.hpp"
#include "kernels/world/world.hpp"
#include "tests/validation/peer_case.hpp"
#include "tests/validation/peer_model.hpp"

namespace heddle::validation {

/// What the engine made of a run.
struct Replay {
  std::map<FlowKey, TimePs> fct_ps;  // from post to last ACK
  Totals totals;
  std::vector<Event> pauses;  // PAUSE events, ordered by time
};

/// The World of a run, its flows read from data/. Throws as peer_flows() and peer_world().
World world_of(const PeerCase& run, const ReplaySettings& settings);

/// Runs the engine to the end. Throws std::runtime_error when it does not complete or loses a packet: the peers lost
/// none.
Outcome run_to_end(const PeerCase& run, const World& world, const EngineOptions& options);

/// Replays a run. Throws as run_to_end().
Replay replay(const PeerCase& run, const ReplaySettings& settings);

/// Differences in percent of the peer's value; of flows, percentiles over all of them (nearest rank).
struct Comparison {
  double makespan_us = 0, peer_makespan_us = 0, makespan_percent = 0;
  double mean_us = 0, peer_mean_us = 0, mean_percent = 0;
  double flow_min = 0, flow_p5 = 0, flow_median = 0, flow_p95 = 0, flow_max = 0;
};

Comparison compare(const Replay& ours, const PeerFlows& theirs);

/// A row of the printed tables (RESULTS.md: their columns in short), and the table's head.
std::string table_row(const std::string& label, const PeerCase& run, const Replay& ours, const Comparison& c);
std::string table_head();

}  // namespace heddle::validation
