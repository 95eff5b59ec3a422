// The runs of other simulators that are replayed here, and what those simulators reported of them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle::validation {

enum class Peer : u8 { htsim, ns3 };
/// data/README.md describes them.
enum class PeerFabric : u8 { leaf_spine, fat_tree, k8 };

/// One run of a peer, as data/README.md describes it. Fields of the other peer stay 0.
struct PeerCase {
  Peer peer = Peer::htsim;
  PeerFabric fabric = PeerFabric::leaf_spine;
  std::string name;   // in data/htsim_fct.csv or data/ns3_fct.csv
  std::string paths;  // in data/
  u64 pauses = 0;     // PAUSE frames that the peer counted
  u64 marks = 0;      // packets that reached a NIC marked
  // htsim: PAUSE when an ingress port holds more than `high` bytes, RESUME when less than `low`, each packet counting
  // 4160 B.
  u64 high_bytes = 0, low_bytes = 0;
  // ns-3: memory of a switch, and ECN's thresholds (kmax 0: no ECN, no DCQCN).
  u64 buffer_mib = 0, kmin_bytes = 0, kmax_bytes = 0;

  bool dcqcn() const { return kmax_bytes > 0; }
};

/// A flow of a run: what was sent, and how long it took from its start to the last ACK.
struct PeerFlow {
  u64 bytes = 0;
  TimePs fct_ps = 0;
  std::string printed;  // fct as the peer printed it: htsim gives six digits of microseconds
};

using FlowKey = std::pair<u32, u32>;  // source and destination host
using PeerFlows = std::map<FlowKey, PeerFlow>;

/// All runs; each name is there once for each peer at most.
const std::vector<PeerCase>& peer_cases();

/// The run `name` of `peer`. Throws std::invalid_argument when there is none.
const PeerCase& peer_case(Peer peer, const std::string& name);

/// The flows of a run, from data/. Throws std::runtime_error: no file, a line that is not src,dst,bytes,fct, no flow.
PeerFlows peer_flows(const PeerCase& run);

/// "htsim" or "ns-3".
const char* name_of(Peer peer);

}  // namespace heddle::validation
