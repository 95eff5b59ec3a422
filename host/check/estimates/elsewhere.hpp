// How long a run takes elsewhere than on one core of this machine: on a GPU, and on several ranks.
#pragma once

#include "host/check/estimates/run_time.hpp"
#include "partition/cut/cut.hpp"

namespace heddle {

/// Seconds on an H200, by so much a tick and so much a packet-hop (tests/bench/PERFORMANCE.md). `time` must be known.
double gpu_s(const RunTime& time, double packet_hops);

/// Seconds on the ranks of `cut`, each on a core like this one: the most loaded rank's part of the work and of what
/// crosses, and the messages of every exchange (tests/bench/scaling.md: a model that two ranks confirm). `time` must be
/// known.
double ranks_s(const RunTime& time, const Cut& cut, TimePs tick_ps);

}  // namespace heddle
