// What htsim and HPCC's ns-3 compute, said in this project's configuration.
#pragma once

#include <string>

#include "tests/validation/peer_case.hpp"

namespace heddle::validation {

/// The grids on which pauses (slot) and free memory (epoch) are sampled, and the seed of ties and marks. The peers
/// decide at every packet; the smaller the grids, the nearer to that.
struct Sampling {
  TimePs slot_ps = 0, epoch_ps = 0;
  u64 seed = 1;
};

/// The grids at which a peer's runs are compared: as fine as is worth the time (README.md, "Convergence").
Sampling sampling_for(Peer peer);

/// The configuration that replays `run`, with the peer's topology, paths, sizes, thresholds and clocks.
std::string peer_toml(const PeerCase& run, const PeerFlows& flows, const Sampling& sampling);

}  // namespace heddle::validation
