// The choice of algorithm and protocol by a model of latency and bandwidth, as in NCCL's tuner (src/graph/tuning.cc of
// 2.19.4, of 2.28.3, which chooses as runs of 2.26 report, and of 2.30). The simulation then shows the actual time.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/collective.hpp"

namespace heddle {

/// NVLS on Hopper: the channels of all sizes (nvls.cc), and the GPUs that the switch of a server joins.
inline constexpr u32 kNvlsChannels = 16, kMinNvlsGpus = 3, kMaxNvlsGpus = 256;

/// The ranks of a collective, and the links between them.
struct TunerInput {
  CollectiveKind kind = CollectiveKind::all_reduce;
  u64 bytes = 0;  // size as in nccl-tests
  u32 ranks = 2, gpus_per_server = 1;
  u32 channels = 2;      // thread blocks of rings and trees
  u32 nics = 1;          // of a server
  double nic_GBps = 50;  // bandwidth of each
  double nvlink_GBps = 370;
  double nvls_GBps = 314.5;  // the part of nvlink_GBps that a server's switch reduces and multicasts
  bool nvls = true;          // the switches of servers reduce
  std::string nccl = "v2.26", gpu = "hopper", cpu = "intel";
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
