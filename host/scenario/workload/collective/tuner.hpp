// Which algorithm and protocol a collective takes when it is left to choose: by a model of latency and bandwidth, as
// NCCL's tuner (src/graph/tuning.cc, the values of 2.21 to 2.28 for H100). The simulation then shows what they take.
#pragma once

#include <vector>

#include "kernels/world/collective.hpp"

namespace heddle {

/// Who takes part, and what joins them.
struct TunerInput {
  CollectiveKind kind = CollectiveKind::all_reduce;
  u64 bytes = 0;  // nccl-tests' size
  u32 ranks = 2, gpus_per_server = 1;
  u32 channels = 2;      // rings
  double nic_GBps = 50;  // of each GPU's NIC
  double nvlink_GBps = 370;
  double nvls_GBps = 314.5;  // of that, what the switch of a server reduces and multicasts
};

struct Estimate {
  Algorithm algorithm;
  Protocol protocol;
  double latency_us, algbw_GBps;
  double time_us;
};

/// Every algorithm and protocol that can do it, in order of algorithm and protocol.
std::vector<Estimate> estimates(const TunerInput& input);

}  // namespace heddle
