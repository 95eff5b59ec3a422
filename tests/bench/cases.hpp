// What the benchmark runs: fabrics of three sizes under full load, a large one that is nearly idle, and collectives.
#pragma once

#include <string>
#include <vector>

namespace heddle::bench {

struct Case {
  std::string name;  // as on the command line
  std::string toml;
  double warm_up_us = 0, end_us = 0;  // measured is what lies between
  bool on_request = false;            // takes minutes on a CPU: only when it is named
};

/// permutation-{128,1024,24576}-{on,off} and one-rack-24576. `on`: PFC, ECN and DCQCN; `off`: none of them. ring-512
/// and trees-512: an all-reduce that leaves the fabric nearly idle, and the one of the first run. incast-1024: 64 times
/// 15 senders to one. On request settled-24576-on, whose queues grow no more, and ring-24576.
std::vector<Case> all_cases();

}  // namespace heddle::bench
