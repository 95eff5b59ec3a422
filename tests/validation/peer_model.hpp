// What htsim and HPCC's ns-3 compute, said in this project's configuration.
#pragma once

#include "kernels/world/world.hpp"
#include "tests/validation/peer_case.hpp"

namespace heddle::validation {

/// What a replay may vary.
struct ReplaySettings {
  /// Grids on which pauses (slot) and free memory (epoch) are sampled. The peers decide at every packet; the smaller
  /// the grids, the nearer to that.
  TimePs slot_ps = 0, epoch_ps = 0;
  u64 seed = 1;  // of ties and marks
  /// From the end of a pause frame to its effect: all of Link::phi_ps. At least 1: nodes see each other's past only.
  TimePs pause_delay_ps = 0;
  bool pace_follows_rate = false;  // dcqcn.pace_follows_rate
};

/// What comes nearest to a peer: its own rules, and grids as fine as is worth the time (RESULTS.md, "Grids").
ReplaySettings settings_for(Peer peer);

/// The World that replays `run`, with the peer's topology, paths, sizes, thresholds and clocks. Throws as
/// load_config_text, build_world and choose_clocks do.
World peer_world(const PeerCase& run, const PeerFlows& flows, const ReplaySettings& settings);

}  // namespace heddle::validation
