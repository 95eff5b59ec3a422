// All-reduce over double binary trees (Sanders, Speck and Traeff 2009; NCCL since 2.4): half of the data goes up and
// down one tree of the servers, on the first half of the channels, half the other, in which inner nodes of the first
// are leaves. Inside a server the GPUs are a chain: its first GPU has the parent server and one of the child servers,
// its second the other one, or the first both, where they share a NIC or channels stay on their rail.
#include <algorithm>
#include <bit>

#include "host/scenario/workload/collective/algorithms.hpp"
#include "host/scenario/workload/collective/channels.hpp"
#include "host/scenario/workload/collective/server_tree.hpp"

namespace heddle {
namespace {

/// One channel: over the servers a binary tree, in each server a chain that begins at GPU `first`.
class ChannelTree {
 public:
  ChannelTree(u32 ranks, const JobOptions& options, u32 channel)
      : tree_(ranks / options.gpus_per_server, options.channels > 1 && 2 * channel >= options.channels),
        gpus_(options.gpus_per_server),
        first_(first_gpu(options, channel)),
        second_child_(nics_of(options) < gpus_ || !crosses_nics(options) ? 0 : 1) {}

  /// The parent rank; kNone: this is the root.
  u32 up(u32 rank) const {
    const u32 server = rank / gpus_, place = (rank % gpus_ + gpus_ - first_) % gpus_;
    if (place != 0) return at(server, place - 1);
    bool first_child = false;
    const u32 above = tree_.up(server, first_child);
    return above == kNone ? kNone : at(above, first_child ? 0 : second_child_);
  }

 private:
  u32 at(u32 server, u32 place) const { return server * gpus_ + (first_ + std::min(place, gpus_ - 1)) % gpus_; }
  BinaryTree tree_;
  u32 gpus_, first_, second_child_;  // second_child_: the place of the GPU with the second child server
};

void append(Peers& peers, u32 connection) { peers.connection[peers.count()] = connection; }

}  // namespace

void add_tree_channel_ends(const JobBuilder& builder) {
  const u32 ranks = builder.ranks(), channels = builder.options.channels;
  struct Links {
    Peers from_children, to_children;
    u32 to_parent = kNone, from_parent = kNone;
  };
  std::vector<Links> links(static_cast<u64>(channels) * ranks);
  for (u32 c = 0; c < channels; ++c) {
    const ChannelTree tree(ranks, builder.options, c);
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

/// Slices get smaller until there are enough of them to fill the tree (NCCL, enqueue.cc): of LL128, whose slices are
/// whole rounds of a warp's 16 lines, and until 2.19 of the simple protocol.
SliceCut cut_trees(const CutInput& in) {
  const u64 channels = in.options.channels, gpus = in.options.gpus_per_server;
  const u64 levels = static_cast<u64>(std::bit_width(static_cast<u32>(in.ranks / gpus)) - 1);
  u64 slice = step_bytes(in.protocol, in.options);
  const auto shrink = [&](u64 least, const auto& too_few) {
    while (slice > least && too_few(in.bytes / (channels * slice))) slice /= 2;
  };
  if (in.protocol == Protocol::ll128) {
    constexpr u64 kGrainBytes = 16 * 120;
    const u64 steps_x10 = 10 * (1 + levels) + gpus;  // of a slice's way through the tree, times 10
    shrink(128 << 10, [&](u64 slices) { return slices * 10 * gpus < 64 * steps_x10; });
    shrink(32 << 10, [&](u64 slices) { return slices * 10 * gpus < 16 * steps_x10; });
    slice = slice / kGrainBytes * kGrainBytes;
  } else if (in.protocol == Protocol::simple && in.options.nccl == "v2.19") {
    const u64 depth = gpus - 1 + levels;
    shrink(128 << 10, [&](u64 slices) { return slices < 8 * depth; });
    shrink(64 << 10, [&](u64 slices) { return slices < 4 * depth; });
    shrink(32 << 10, [&](u64 slices) { return slices < depth; });
    slice = whole_vectors(slice);
  }
  return cut_steps(channel_bytes(in.bytes, in.options.channels), slice, in.protocol, in.options);
}

void count_trees(const JobOptions& options, u64 gpus, bool, WorkloadCounts& counts) {
  const u64 server = options.gpus_per_server, servers = gpus / server, channels = options.channels;
  counts.connections += 2 * channels * (gpus - 1);
  counts.channel_ends += channels * (2 * gpus - 1);
  counts.qps += 2 * channels * (servers - 1) * options.qps_per_connection;
  counts.several_peers = counts.several_peers || gpus > 2;
  // Neighbours in the chains, which together are the circle of a server's GPUs.
  const u64 joined = server - (one_entrance(options) ? 1 : 0);
  counts.nvlinks += server == 1 ? 0 : server == 2 ? gpus : 2 * joined * servers;
}

}  // namespace heddle
