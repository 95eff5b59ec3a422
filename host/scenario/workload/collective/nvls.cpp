// All-reduce with the NVSwitches of servers, as NCCL's NVLS and NVLSTree: on every channel each GPU, across servers
// each that has a NIC, is the head of an equal part of the data. The switch sums the part of all GPUs of the server for
// its head; heads of the same number are joined over the network in a binary tree; and the switch gives a head's result
// to all GPUs of its server.
#include <algorithm>

#include "host/scenario/workload/collective/algorithms.hpp"
#include "host/scenario/workload/collective/channels.hpp"
#include "host/scenario/workload/collective/server_tree.hpp"

namespace heddle {
namespace {

/// The heads of a server: a stream is what one of them does on one channel.
struct Heads {
  Heads(const JobOptions& options, u64 servers)
      : count(nvls_heads(options, servers)), gap(options.gpus_per_server / count) {}
  u32 place(u32 stream) const { return stream % count * gap; }  // in the server
  u32 count, gap;
};

/// A part of the data on its way through one server.
struct Part {
  u32 first_up = kNone, first_down = kNone;  // first of the connections joined by the switch
  u32 to_parent = kNone, from_parent = kNone;
  Peers recv_up, send_down;  // inputs reduced at the head, and outputs of the result

  void add_child(const Part& child) {
    recv_up.connection[recv_up.count()] = child.to_parent;
    send_down.connection[send_down.count()] = child.from_parent;
  }
};

/// The parts as [stream * servers + server].
std::vector<Part> add_parts(const JobBuilder& builder, const Heads& heads, u32 streams, u32 servers) {
  const u32 gpus = builder.options.gpus_per_server;
  std::vector<Part> parts(static_cast<size_t>(streams) * servers);
  for (u32 stream = 0; stream < streams; ++stream) {
    Part* part = &parts[static_cast<size_t>(stream) * servers];
    for (u32 server = 0; server < servers; ++server) {
      const u32 head = server * gpus + heads.place(stream);
      part[server].first_up = builder.add_joined(InSwitch::reduces, head, stream);
      part[server].first_down = builder.add_joined(InSwitch::multicasts, head, stream);
      part[server].recv_up = part[server].first_up;
      part[server].send_down = part[server].first_down;
    }
    const BinaryTree tree(servers, stream / heads.count % 2 == 1);
    for (u32 server = 0; server < servers; ++server) {
      bool first_child = false;
      const u32 up = tree.up(server, first_child);
      if (up == kNone) continue;
      const u32 head = server * gpus + heads.place(stream), above = up * gpus + heads.place(stream);
      part[server].to_parent = builder.add_connection(head, above, stream);
      part[server].from_parent = builder.add_connection(above, head, stream);
      part[up].add_child(part[server]);
    }
  }
  return parts;
}

void add_head_channel_ends(const JobBuilder& builder, u32 rank, const Part& part) {
  if (part.to_parent == kNone) return builder.add_channel_end(rank, part.recv_up, part.send_down, 0);  // the root
  builder.add_channel_end(rank, part.recv_up, part.to_parent, 0);
  builder.add_channel_end(rank, part.from_parent, part.send_down, 0);
}

}  // namespace

void add_nvls_channel_ends(const JobBuilder& builder) {
  const u32 gpus = builder.options.gpus_per_server, servers = builder.ranks() / gpus;
  const Heads heads(builder.options, servers);
  const u32 streams = builder.options.channels * heads.count;
  const std::vector<Part> parts = add_parts(builder, heads, streams, servers);
  for (const u32 rank : builder.ranks_by_gpu()) {
    const u32 place = rank % gpus;
    for (u32 stream = 0; stream < streams; ++stream) {
      const Part& part = parts[static_cast<size_t>(stream) * servers + rank / gpus];
      const u32 head = heads.place(stream), own = place < head ? place : place - 1;
      if (place == head) {
        add_head_channel_ends(builder, rank, part);
        continue;
      }
      builder.add_channel_end(rank, kNone, part.first_up + own, 0);
      builder.add_channel_end(rank, part.first_down + own, kNone, 0);
    }
  }
}

/// NCCL's chunks: at most 128 KiB in one server, 128 KiB between servers, 64 KiB from four servers on; smaller ones
/// where there would be too few of them to fill all channels (enqueue.cc).
SliceCut cut_nvls(const CutInput& in) {
  const u32 servers = in.ranks / in.options.gpus_per_server;
  const u32 streams = in.options.channels * Heads(in.options, servers).count;
  u64 slice = std::min<u64>(step_bytes(in.protocol, in.options), servers >= 4 ? 64 << 10 : 128 << 10);
  const auto shrink = [&](u64 slices, u64 to) {
    if (slice > to && in.bytes < slices * streams * slice) slice = to;
  };
  if (servers == 1) {
    shrink(64, 64 << 10);
    shrink(8, 32 << 10);
    shrink(2, 16 << 10);
  } else {
    shrink(4, 64 << 10);
    shrink(1, 32 << 10);
  }
  return cut_steps(channel_bytes(in.bytes, streams), whole_vectors(slice), in.protocol, in.options);
}

void count_nvls(const JobOptions& options, u64 gpus, bool, WorkloadCounts& counts) {
  const u64 server = options.gpus_per_server, servers = gpus / server, heads = Heads(options, servers).count;
  const u64 streams = options.channels * heads;
  counts.connections += streams * 2 * (servers * (server - 1) + servers - 1);
  counts.channel_ends += streams * (servers * 2 * server - 1);
  counts.qps += streams * 2 * (servers - 1) * options.qps_per_connection;
  counts.nvlinks += servers * (heads * (2 * server - heads - 1));  // between heads, and heads and others, both ways
  counts.several_peers = counts.several_peers || servers > 1;
}

}  // namespace heddle
