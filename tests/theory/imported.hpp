// Fabrics of any shape for the tests of one law each: HPCC's topology.txt, which has no pipelines, so that the test
// sets every latency.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle::theory {

/// One cable: ends, speed and delay, the same in both directions.
struct CableSpec {
  u32 a, b;
  u64 bits_per_s;
  TimePs latency_ps;
};

/// [topology] of a fabric with nodes [0, nodes), of which `switches` are switches; writes the topology.txt that it
/// names into a fresh folder. In the World endpoints keep their order and come first, switches follow.
std::string imported_topology(u32 nodes, const std::vector<u32>& switches, const std::vector<CableSpec>& cables);

/// One hop of a line.
struct Hop {
  u64 bits_per_s;
  TimePs latency_ps;
};

/// [topology] of sender - switch - ... - switch - receiver. In the World the sender is endpoint 0, the receiver
/// endpoint 1, and hop i > 0 leaves node i + 1.
std::string line_topology(const std::vector<Hop>& hops);

}  // namespace heddle::theory
