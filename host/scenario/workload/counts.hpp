// How many entities a workload makes, known in closed form before it is made: for what memory it will take.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

struct WorkloadInput;

/// Everything of which a workload may have very many.
struct WorkloadCounts {
  u64 messages = 0, waits = 0;
  u64 collectives = 0, iterations = 0;  // of all communicators, and of all tasks
  // in tables
  u64 qps = 0, connections = 0, channel_ends = 0;
  // of all-to-alls in closed form: state is made when they are first used
  u64 qps_on_use = 0, connections_on_use = 0;
  u64 nvlinks = 0;             // directed; of several groups of a job at most
  bool several_peers = false;  // some channel ends have several connections of a direction, so all have room for them
  bool operator==(const WorkloadCounts&) const = default;
};

/// Of a workload that has been built.
WorkloadCounts counts_of(const World& world);

/// Messages and their QPs; of `world` only the fabric is looked at. Exact, but for Poisson generators (the mean) and
/// pairs that several sections name (their QPs count in each). What will be refused counts as nothing.
WorkloadCounts count_messages(const WorkloadInput& input, const World& world);

}  // namespace heddle
