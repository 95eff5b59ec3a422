// The numbers of entities of a workload, in closed form before it is built: for its memory need.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

struct WorkloadInput;

/// The entities that a workload may have very many of.
struct WorkloadCounts {
  u64 messages = 0, waits = 0;
  u64 requests = 0;                     // whose messages are among them
  u64 collectives = 0, iterations = 0;  // sums over all communicators, and over all tasks
  // in tables
  u64 qps = 0, connections = 0, channel_ends = 0;
  u64 tcp_qps = 0;  // those of `qps` that are TCP connections
  // in all-to-alls in closed form, whose state is created on first use
  u64 qps_on_use = 0, connections_on_use = 0;
  u64 nvlinks = 0;             // directed; an upper bound with several groups per job
  bool several_peers = false;  // some channel ends have several connections in a direction, so all have room for them
  bool operator==(const WorkloadCounts&) const = default;
};

/// What waits for batches of programs, and they for messages.
inline u64 waits_of(const ProgramPlan& plan) { return plan.batches.size() + plan.posted.size() + plan.awaited.size(); }

/// The counts of a workload that has been built.
WorkloadCounts counts_of(const World& world);

/// Messages and their QPs; of `world` only fabric, policies and horizon are used. Exact, except for Poisson generators
/// (the mean), telemetry (the most) and pairs that several sections name (their QPs count in each). Input that will be
/// refused counts as nothing.
WorkloadCounts count_messages(const WorkloadInput& input, const World& world);

}  // namespace heddle
