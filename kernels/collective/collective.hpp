// Collectives as plain tables (README.md, section 9): connections with slots, lanes that copy slice after slice.
#pragma once

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

/// A group of GPUs that runs collectives one after the other.
struct Job {
  std::vector<EndpointId> ranks;
  std::vector<u32> collectives;   // in order; a rank enters the next when it has completed the one before
  u32 first_lane = 0, lanes = 0;  // lanes of a GPU are consecutive, ordered by (kind, order, channel)
  u32 first_connection = 0, connections = 0;
  u32 slots = 8;  // per connection
  QpScaling scaling = QpScaling::round_robin;
  u32 p2p_window = 0;  // lanes of one direction that a GPU works on at once, 0 = all
};

struct CollectiveSettings {
  u32 copy_ps_per_byte_q16 = 65536;     // copy server of a GPU
  u32 nvlink_ps_per_byte_q16 = 145636;  // 450 GB/s
  TimePs nvlink_latency_ps = 1'000'000;
};

struct CollectivePlan {
  CollectiveSettings settings;
  std::vector<Job> jobs;
  std::vector<Collective> collectives;
  std::vector<SliceLaw> laws;
  std::vector<Connection> connections;
  std::vector<Lane> lanes;  // ordered by (job, gpu)
};

}  // namespace heddle
