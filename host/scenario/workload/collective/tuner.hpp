// The choice of algorithm and protocol by a model of latency and bandwidth, as in NCCL's tuner (src/graph/tuning.cc,
// the values of 2.21 to 2.28 for H100). The simulation then shows the actual time.
#pragma once

#include <vector>

#include "kernels/world/collective.hpp"

namespace heddle {

/// The ranks of a collective, and the links between them.
struct TunerInput {
  CollectiveKind kind = CollectiveKind::all_reduce;
  u64 bytes = 0;  // size as in nccl-tests
  u32 ranks = 2, gpus_per_server = 1;
  u32 channels = 2;      // number of rings
  double nic_GBps = 50;  // bandwidth of each GPU's NIC
  double nvlink_GBps = 370;
  double nvls_GBps = 314.5;  // the part of nvlink_GBps that a server's switch reduces and multicasts
};

struct Estimate {
  Algorithm algorithm;
  Protocol protocol;
  double latency_us, algbw_GBps;
  double time_us;
};

/// The estimate of every algorithm and protocol of the kind, in order of algorithm and protocol.
std::vector<Estimate> estimates(const TunerInput& input);

}  // namespace heddle
