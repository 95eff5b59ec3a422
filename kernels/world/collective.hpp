// Collectives as plain tables (MODEL.md, 9): connections with slots, channel ends that copy slice after slice.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"
#include "kernels/world/program.hpp"

namespace heddle {

enum class CollectiveKind : u8 {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  broadcast,
  reduce,
  scatter,
  send,
  barrier,
  send_recv,
  all_to_all_v,
  dispatch,
  combine
};
/// A barrier is an all-reduce of one number.
constexpr bool reduces_for_all(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::barrier;
}
/// Tokens go to the GPUs of their experts, or what became of them comes back.
constexpr bool carries_tokens(CollectiveKind kind) {
  return kind == CollectiveKind::dispatch || kind == CollectiveKind::combine;
}
enum class Algorithm : u8 { ring, p2p, tree, hierarchical, halving_doubling, nvls };
/// How a GPU signals to the next that data is there: by a flag behind a fence, or in the data itself (MODEL.md, 9.1).
enum class Protocol : u8 { simple, ll, ll128 };
inline constexpr u32 kProtocols = 3;
/// How a copied slice becomes visible: by protocol, or through the switch of a server.
inline constexpr u32 kPosts = kProtocols + 1, kSwitchPost = kProtocols;
enum class QpScaling : u8 { round_robin = 0, split = 1 };

/// The sizes of the slices of one stream in closed form: `full` slices of full_bytes, then
/// tail slices, alternately tail_bytes[0] and (when tail_period is 2) tail_bytes[1], until `total` slices.
struct SliceSchedule {
  u32 total = 0, full = 0;
  u32 full_bytes = 0;
  u32 tail_period = 1;
  u32 tail_bytes[2] = {0, 0};
};

/// Calls f(number of slices, bytes of each) for the slice sizes of a stream.
template <class F>
void for_each_size(const SliceSchedule& schedule, const F& f) {
  const u32 tail = schedule.total - schedule.full, odd = schedule.tail_period == 2 ? tail / 2 : 0;
  if (schedule.full != 0) f(schedule.full, schedule.full_bytes);
  if (tail != odd) f(tail - odd, schedule.tail_bytes[0]);
  if (odd != 0) f(odd, schedule.tail_bytes[1]);
}

/// Total bytes of a stream.
inline u64 bytes_of(const SliceSchedule& schedule) {
  u64 bytes = 0;
  for_each_size(schedule, [&](u32 slices, u32 size) { bytes += u64{slices} * size; });
  return bytes;
}

inline u32 largest_slice_bytes(const SliceSchedule& schedule) {
  u32 largest = 0;
  for_each_size(schedule, [&](u32, u32 size) { largest = std::max(largest, size); });
  return largest;
}

/// Operation of a server's switch on the slices of several connections at once (NVLS).
enum class InSwitch : u8 {
  nothing,
  reduces,    // slices of equal number from all sources become one, at the one channel end that receives
  multicasts  // a slice that one channel end sends arrives at all destinations
};

/// An ordered stream of slices between two GPUs on one channel, with a collective's `slots` buffers on each side.
struct Connection {
  EndpointId src = kNone, dst = kNone;
  u32 channel = 0;
  bool nvlink = false;            // inside a server: no QPs
  u32 first_qp = kNone, qps = 0;  // consecutive in Traffic::qps
  u32 send_channel_end = kNone, recv_channel_end = kNone;
  /// Connections that the switch joins are consecutive; the channel end that they share names the first of them.
  InSwitch in_switch = InSwitch::nothing;
  u32 first_joined = kNone, joined = 1;
};

inline constexpr u32 kMaxPeers = 3;  // a binary tree: two below, one above (and, at its root in a server, the next GPU)

/// Room for peers of every channel end when any has several.
inline constexpr u32 kPeersRoom = 4;
static_assert(kMaxPeers <= kPeersRoom);

/// The connections of a channel end in one direction, followed by kNone.
struct Peers {
  u32 connection[kMaxPeers] = {kNone, kNone, kNone};

  constexpr Peers() = default;
  constexpr Peers(u32 only) : connection{only, kNone, kNone} {}  // NOLINT(google-explicit-constructor): mostly one
  HEDDLE_FN bool none() const { return connection[0] == kNone; }
  HEDDLE_FN u32 count() const {
    u32 n = 0;
    while (n < kMaxPeers && connection[n] != kNone) ++n;
    return n;
  }
  bool operator==(const Peers&) const = default;
};

/// One thread block's work at one GPU: operations in order, each receiving a slice from all its peers, sending one to
/// all its peers, or both.
/// Operation (loop, phase, slice): a ring channel end has `phases` = hops + 1; phase 0 only sends, the last one only
/// receives. With one phase, every operation is the same: point to point channel ends only send or only receive, those
/// of trees and chains forward the slices that they receive.
struct ChannelEnd {
  EndpointId gpu = kNone;
  Peers recv, send;
  u32 order = 0;  // point to point: position in this GPU's schedule (round, channel); others: 0
  /// Not a thread block, but the proxy of a GPU that sends by its NIC what another GPU of its server has put there by
  /// NVLink (NCCL's PXN): no copy, and one buffer for both. Its phases are one; it comes before those that send.
  bool relays = false;
};

/// One collective of one job. All channel ends of its group take part in it.
struct Collective {
  u32 job = 0;
  CollectiveKind kind = CollectiveKind::all_reduce;
  u64 bytes = 0;                         // nccl-tests' size
  TimePs start_ps = 0;                   // no rank enters before this time
  u32 phases = 1;                        // ring: hops + 1; others: 1
  u32 schedule = 0;                      // index in CollectivePlan::schedules (connection streams)
  u32 slices_full = 1, slices_tail = 1;  // slices per chunk in full loops and in the tail loop
  u32 group = 0;                         // number among the groups of its job
  u32 slots = 8;                         // per connection
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  bool composed = false;  // programs compose it of other collectives: it has no channel ends
  bool eager = false;     // slices are admitted as soon as slots are free, before ranks have entered
  u32 schedules = 1;      // number of schedules from `schedule` on, each for an equal share of the group's connections
  TimePs launch_latency_ps = 0;     // from entering until the channel ends begin
  u32 channel_ps_per_byte_q16 = 0;  // a copy of a channel end takes at least this, flags included; 0: no bound
};

/// An all-to-all in closed form: in round r = 1, 2, ... rank i sends to rank i + r and receives from rank i - r, mod
/// the number of ranks, on every channel. Its connections, channel ends and queue pairs are in no table; they follow
/// from the ranks (MODEL.md, 9.10), because its GPUs carry nothing else: no message, no other job. Ranks are placed in
/// whole servers: those of a server have consecutive ranks and endpoints, in the same order.
struct AllPairs {
  u32 channels = 0;         // 0: the job's connections and channel ends are in the tables
  u32 gpus_per_server = 1;  // pairs of one server are joined by NVLink
  u32 qps = 1;              // per connection over the network
  explicit operator bool() const { return channels != 0; }
};

/// Channel ends and connections of an algorithm of a job, shared by all its collectives that use the algorithm.
struct ChannelEndGroup {
  u32 first_channel_end = 0, channel_ends = 0;  // by GPU, those of a GPU by (relays, sends or receives, order, channel)
  /// Index in CollectivePlan::connections. All-to-alls in closed form: after all tables, by (sender, round, channel).
  u32 first_connection = 0, connections = 0;
  u32 window = 0;  // channel ends of one direction that a GPU works on at once, 0 = all
};

/// A group of GPUs that runs collectives one after the other: a communicator.
struct Job {
  std::vector<EndpointId> ranks;
  std::vector<u32> collectives;         // in order; a rank enters the next when it has completed the previous one
  std::vector<ChannelEndGroup> groups;  // all-to-all in closed form: one group
  u32 gpus_per_server = 1;              // of its ranks, for reports
  u32 number = 0;                       // number of its job in the configuration
  Group group = Group::all;             // which ranks of that job these are
  bool by_program = false;              // a rank enters a collective only when its GPU's program says so
  bool composed = false;                // some of its collectives are composed
  AllPairs all_pairs;
  QpScaling scaling = QpScaling::round_robin;
  u32 slices_per_cts = 1;  // over the network
};

/// Whether programs name the job, as one of the communicators of a GPU.
inline bool named_by_programs(const Job& job) { return job.by_program || job.composed; }

struct CollectiveSettings {
  u32 copy_ps_per_byte_q16 = 65536;            // copy server of a GPU
  u32 copy_computing_ps_per_byte_q16 = 65536;  // for operations that start while the GPU computes
  u32 nvlink_ps_per_byte_q16 = 177128;         // 370 GB/s
  u32 nvls_ps_per_byte_q16 = 208382;           // 314.5 GB/s: slices that the switch reduces or multicasts
  TimePs nvlink_latency_ps = 700'000;
  /// From the end of a copy until the slice is visible; by protocol, then for the server's switch.
  TimePs post_latency_ps[kPosts] = {2'700'000, 0, 1'200'000, 8'500'000};
  /// The rate of a channel per byte of data, by protocol, then that of NVLS; 0: no bound. What its channel ends have of
  /// it is Collective::channel_ps_per_byte_q16.
  u32 channel_ps_per_byte_q16[kPosts] = {};
  TimePs launch_latency_ps = 6'600'000;  // until channel ends start (Collective::launch_latency_ps)
  TimePs p2p_latency_ps = 0;             // added to it for send/recv
  TimePs flush_latency_ps = 2'000'000;   // flush of data from the NIC before the GPU may read it (simple)
};

struct CollectivePlan {
  CollectiveSettings settings;
  std::vector<Job> jobs;
  std::vector<Collective> collectives;
  std::vector<SliceSchedule> schedules;
  std::vector<Connection> connections;
  std::vector<ChannelEnd> channel_ends;  // ordered by (job, group, gpu)
};

/// Calls f(source, destination) for every pair of an all-to-all in closed form that is joined by the network: each pair
/// has `channels` connections of `qps` queue pairs.
template <class F>
void for_each_network_pair(const Job& job, const F& f) {
  const u32 ranks = static_cast<u32>(job.ranks.size()), server = job.all_pairs.gpus_per_server;
  for (u32 rank = 0; rank < ranks; ++rank) {
    const u32 first = server - rank % server;  // the rounds before, and the last ones, stay in the server
    for (u32 round = first; round < first + (ranks - server); ++round)
      f(job.ranks[rank], job.ranks[(rank + round) % ranks]);
  }
}

inline u64 network_pairs(const Job& job) {
  const u64 ranks = job.ranks.size();
  return ranks * (ranks - job.all_pairs.gpus_per_server);
}

/// Number of connections of all jobs, both in tables and in closed form.
inline u64 count_connections(const CollectivePlan& plan) {
  u64 count = plan.connections.size();
  for (const Job& job : plan.jobs) count += job.all_pairs ? job.groups[0].connections : 0;
  return count;
}

/// Calls f(connection number) for each connection of a group in tables.
template <class F>
void for_each_connection(const ChannelEndGroup& group, const F& f) {
  for (u32 c = group.first_connection; c < group.first_connection + group.connections; ++c) f(c);
}

/// The schedule of a collective's stream on a connection of its group.
inline u32 schedule_of(const Collective& collective, const ChannelEndGroup& group, u32 connection) {
  if (collective.schedules == 1) return collective.schedule;
  return collective.schedule + (connection - group.first_connection) / (group.connections / collective.schedules);
}

/// Calls f(collective) for each collective of a group of a job, in order.
template <class F>
void for_each_collective(const CollectivePlan& plan, const Job& job, u32 group, const F& f) {
  for (const u32 id : job.collectives) {
    if (plan.collectives[id].group == group) f(plan.collectives[id]);
  }
}

/// Calls f(collective, slice schedule of a connection of the group) for each collective of the group, in order.
template <class F>
void for_each_schedule(const CollectivePlan& plan, const Job& job, u32 group, u32 connection, const F& f) {
  for_each_collective(plan, job, group, [&](const Collective& c) {
    f(c, plan.schedules[schedule_of(c, job.groups[group], connection)]);
  });
}

/// Calls f(first, count) for ranges of a group's connections with the same schedules in all its collectives.
template <class F>
void for_each_alike(const CollectivePlan& plan, const Job& job, u32 group, const F& f) {
  const ChannelEndGroup& all = job.groups[group];
  u32 alike = all.connections;
  for_each_collective(plan, job, group,
                      [&](const Collective& c) { alike = std::min(alike, all.connections / c.schedules); });
  for (u32 i = 0; i < all.connections; i += alike) f(all.first_connection + i, alike);
}

/// Whether any channel end has several peers in one direction: then all channel ends have room for kPeersRoom.
inline bool has_several_peers(const CollectivePlan& plan) {
  return std::any_of(plan.channel_ends.begin(), plan.channel_ends.end(), [](const ChannelEnd& channel_end) {
    return channel_end.recv.count() > 1 || channel_end.send.count() > 1;
  });
}

inline bool uses_nvlink(const CollectivePlan& plan) {
  return std::any_of(plan.connections.begin(), plan.connections.end(), [](const Connection& c) { return c.nvlink; }) ||
         std::any_of(plan.jobs.begin(), plan.jobs.end(),
                     [](const Job& job) { return job.all_pairs && job.all_pairs.gpus_per_server > 1; });
}

}  // namespace heddle
