// Collectives as plain tables (MODEL.md, 9): connections with slots, lanes that copy slice after slice.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

enum class CollectiveKind : u8 { all_reduce, all_gather, reduce_scatter, all_to_all, gather };
enum class QpScaling : u8 { round_robin = 0, split = 1 };

/// The sizes of the slices of one stream in closed form: `full` slices of full_bytes, then
/// tail slices, alternately tail_bytes[0] and (when tail_period is 2) tail_bytes[1], until `total` slices.
struct SliceLaw {
  u32 total = 0, full = 0;
  u32 full_bytes = 0;
  u32 tail_period = 1;
  u32 tail_bytes[2] = {0, 0};
};

/// An ordered stream of slices between two GPUs on one channel, with `slots` buffers on each side.
struct Connection {
  EndpointId src = kNone, dst = kNone;
  u32 channel = 0;
  bool nvlink = false;            // inside a server: no QPs
  u32 first_qp = kNone, qps = 0;  // consecutive in Traffic::qps
  u32 send_lane = kNone, recv_lane = kNone;
};

/// One thread block's work at one GPU: operations in order, each receiving a slice, sending one, or both.
/// Operation (loop, phase, slice): a ring lane has `phases` = hops + 1; phase 0 only sends, the last one only receives.
/// A lane with one phase only sends or only receives (point to point).
struct Lane {
  EndpointId gpu = kNone;
  u32 recv = kNone, send = kNone;  // connections
  u32 order = 0;                   // point to point: position in this GPU's schedule (round, channel); ring: 0
};

/// One collective of one job. All lanes of the job take part in it.
struct Collective {
  u32 job = 0;
  CollectiveKind kind = CollectiveKind::all_reduce;
  u64 bytes = 0;                         // nccl-tests' size
  TimePs start_ps = 0;                   // no rank enters before
  u32 phases = 1;                        // ring: hops + 1; point to point: 1
  u32 law = 0;                           // index in CollectivePlan::laws (connection streams)
  u32 slices_full = 1, slices_tail = 1;  // slices per chunk in full loops and in the tail loop
};

/// An all-to-all in closed form: in round r = 1, 2, ... rank i sends to rank i + r and receives from rank i - r, mod
/// the ranks, on every channel. Its connections, lanes and queue pairs are in no table; what a table would hold follows
/// from the ranks (MODEL.md, 9.10), as its GPUs carry nothing else: no message, no other job. Ranks are placed
/// in whole servers: those of a server have consecutive ranks and endpoints, in the same order.
struct AllPairs {
  u32 channels = 0;         // 0: the job's connections and lanes are in the tables
  u32 gpus_per_server = 1;  // pairs of one server are joined by NVLink
  u32 qps = 1;              // per connection over the network
  explicit operator bool() const { return channels != 0; }
};

/// A group of GPUs that runs collectives one after the other.
struct Job {
  std::vector<EndpointId> ranks;
  std::vector<u32> collectives;   // in order; a rank enters the next when it has completed the one before
  u32 first_lane = 0, lanes = 0;  // lanes of a GPU are consecutive, ordered by (kind, order, channel)
  /// In CollectivePlan::connections. All pairs: behind all of these, by (sender, round, channel).
  u32 first_connection = 0, connections = 0;
  AllPairs all_pairs;
  u32 slots = 8;  // per connection
  QpScaling scaling = QpScaling::round_robin;
  u32 p2p_window = 0;  // lanes of one direction that a GPU works on at once, 0 = all
};

struct CollectiveSettings {
  u32 copy_ps_per_byte_q16 = 65536;     // copy server of a GPU
  u32 nvlink_ps_per_byte_q16 = 177128;  // 370 GB/s
  TimePs nvlink_latency_ps = 600'000;
  TimePs post_latency_ps = 2'800'000;   // from the end of a copy until it is seen outside the GPU
  TimePs flush_latency_ps = 1'000'000;  // of what the NIC has written, before the GPU may read it
};

struct CollectivePlan {
  CollectiveSettings settings;
  std::vector<Job> jobs;
  std::vector<Collective> collectives;
  std::vector<SliceLaw> laws;
  std::vector<Connection> connections;
  std::vector<Lane> lanes;  // ordered by (job, gpu)
};

/// Calls f(source, destination) for every pair of an all-to-all in closed form that the network joins: each has
/// `channels` connections of `qps` queue pairs.
template <class F>
void for_each_network_pair(const Job& job, const F& f) {
  const u32 ranks = static_cast<u32>(job.ranks.size()), server = job.all_pairs.gpus_per_server;
  for (u32 rank = 0; rank < ranks; ++rank) {
    const u32 first = server - rank % server;  // the rounds before and the last ones stay in the server
    for (u32 round = first; round < first + (ranks - server); ++round)
      f(job.ranks[rank], job.ranks[(rank + round) % ranks]);
  }
}

inline u64 network_pairs(const Job& job) {
  const u64 ranks = job.ranks.size();
  return ranks * (ranks - job.all_pairs.gpus_per_server);
}

/// Of all jobs, whether in tables or not.
inline u64 count_connections(const CollectivePlan& plan) {
  u64 count = plan.connections.size();
  for (const Job& job : plan.jobs) count += job.all_pairs ? job.connections : 0;
  return count;
}

inline bool uses_nvlink(const CollectivePlan& plan) {
  return std::any_of(plan.connections.begin(), plan.connections.end(), [](const Connection& c) { return c.nvlink; }) ||
         std::any_of(plan.jobs.begin(), plan.jobs.end(),
                     [](const Job& job) { return job.all_pairs && job.all_pairs.gpus_per_server > 1; });
}

}  // namespace heddle
