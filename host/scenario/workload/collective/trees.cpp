// All-reduce over double binary trees (Sanders, Speck and Traeff 2009; NCCL since 2.4): half of the data goes up and
// down one tree of the servers, half the other, in which inner nodes of the first are leaves. Inside a server the GPUs
// are a chain: its first GPU has the parent server and one of the child servers, its second the other one.
#include <algorithm>
#include <bit>

#include "host/scenario/workload/collective/algorithms.hpp"
#include "host/scenario/workload/collective/server_tree.hpp"

namespace heddle {
namespace {

/// One channel: over the servers a binary tree, in each server a chain that begins at GPU `first`.
class ChannelTree {
 public:
  ChannelTree(u32 ranks, u32 gpus_per_server, u32 first, bool second)
      : tree_(ranks / gpus_per_server, second), gpus_(gpus_per_server), first_(first) {}

  /// The parent rank; kNone: this is the root.
  u32 up(u32 rank) const {
    const u32 server = rank / gpus_, place = (rank % gpus_ + gpus_ - first_) % gpus_;
    if (place != 0) return at(server, place - 1);
    bool first_child = false;
    const u32 above = tree_.up(server, first_child);
    return above == kNone ? kNone : at(above, first_child ? 0 : 1);
  }

 private:
  u32 at(u32 server, u32 place) const { return server * gpus_ + (first_ + std::min(place, gpus_ - 1)) % gpus_; }
  BinaryTree tree_;
  u32 gpus_, first_;
};

u32 tree_channels(const JobOptions& options) { return 2 * channels_of(options); }

void append(Peers& peers, u32 connection) { peers.connection[peers.count()] = connection; }

}  // namespace

void add_tree_channel_ends(const JobBuilder& builder) {
  const u32 ranks = builder.ranks(), channels = tree_channels(builder.options),
            server = builder.options.gpus_per_server;
  struct Links {
    Peers from_children, to_children;
    u32 to_parent = kNone, from_parent = kNone;
  };
  std::vector<Links> links(static_cast<u64>(channels) * ranks);
  for (u32 c = 0; c < channels; ++c) {
    const ChannelTree tree(ranks, server, c / 2 % server, c % 2 == 1);
    for (u32 rank = 0; rank < ranks; ++rank) {
      const u32 up = tree.up(rank);
      if (up == kNone) continue;
      Links &child = links[static_cast<u64>(c) * ranks + rank], &parent = links[static_cast<u64>(c) * ranks + up];
      child.to_parent = builder.add_connection(rank, up, c);
      child.from_parent = builder.add_connection(up, rank, c);
      append(parent.from_children, child.to_parent);
      append(parent.to_children, child.from_parent);
    }
  }
  for (const u32 rank : builder.ranks_by_gpu()) {
    for (u32 c = 0; c < channels; ++c) {
      const Links& own = links[static_cast<u64>(c) * ranks + rank];
      if (own.to_parent == kNone) {  // reduced data goes down again
        builder.add_channel_end(rank, own.from_children, own.to_children, 0);
        continue;
      }
      builder.add_channel_end(rank, own.from_children, own.to_parent, 0);
      builder.add_channel_end(rank, own.from_parent, own.to_children, 0);
    }
  }
}

/// With the simple protocol, slices get smaller until there are enough of them to fill the tree (NCCL, enqueue.cc).
SliceCut cut_trees(const CutInput& in) {
  const u32 channels = tree_channels(in.options), server = in.options.gpus_per_server;
  const u64 depth = server - 1 + static_cast<u64>(std::bit_width(in.ranks / server) - 1);
  u64 slice = step_bytes(in.options);
  const auto shrink = [&](u64 slices, u64 least) {
    while (slice > least && in.bytes / (channels * slice) < slices) slice /= 2;
  };
  shrink(8 * depth, 128 << 10);
  shrink(4 * depth, 64 << 10);
  shrink(depth, 32 << 10);
  return cut_steps(channel_bytes(in.bytes, channels), whole_vectors(slice), in.protocol, in.options);
}

void count_trees(const JobOptions& options, u64 gpus, bool, WorkloadCounts& counts) {
  const u64 server = options.gpus_per_server, servers = gpus / server, channels = tree_channels(options);
  counts.connections += 2 * channels * (gpus - 1);
  counts.channel_ends += channels * (2 * gpus - 1);
  counts.qps += 2 * channels * (servers - 1) * options.qps_per_connection;
  counts.several_peers = counts.several_peers || gpus > 2;
  // Neighbours in the chains, which together are the circle of a server's GPUs.
  const u64 joined = channels / 2 == 1 ? server - 1 : server;
  counts.nvlinks += server == 1 ? 0 : server == 2 ? gpus : 2 * joined * servers;
}

}  // namespace heddle
