// The algorithms of collectives. A new one is a file with two or three functions (a composed one: with one function)
// and a row of kLayouts.
#pragma once

#include <span>

#include "host/scenario/workload/collective/job_builder.hpp"
#include "host/scenario/workload/collective/slice_schedule.hpp"
#include "host/scenario/workload/collective/stages.hpp"
#include "host/scenario/workload/counts.hpp"

namespace heddle {

/// A collective of a job that is to be cut into slices.
struct CutInput {
  CollectiveKind kind;
  u64 bytes;  // size as in nccl-tests
  u32 ranks;
  Protocol protocol;
  const JobOptions& options;  // channels: those that the collective uses
};

/// The implementation of some kinds of collective by one algorithm: by connections and channel ends, or stage by stage.
struct Layout {
  Algorithm algorithm;
  std::span<const CollectiveKind> kinds;
  /// Adds the channel ends of one job, and their connections. Throws ConfigError.
  void (*add_channel_ends)(const JobBuilder& builder);
  /// Cuts a collective. Throws ConfigError: more slices than can be numbered.
  SliceCut (*cut)(const CutInput& input);
  /// Adds the counts of what add_channel_ends will make. in_tables: false for an all-to-all in closed form.
  void (*count)(const JobOptions& options, u64 gpus, bool in_tables, WorkloadCounts& counts);
  /// The stages of a composed collective; nullptr: it is not composed and uses the functions above.
  std::vector<Stage> (*stages)(const Composition& of) = nullptr;
};

/// The layouts in the order of a job's groups.
std::span<const Layout> layouts();

// rings.cpp: all-reduce, all-gather, reduce-scatter.
/// Channel ends that forward from each rank to the next in `orders[channel]`, and, if `closed`, from the last to the
/// first.
void add_channel_ends_along(const JobBuilder& builder, std::span<const std::vector<u32>> orders, bool closed);
void add_ring_channel_ends(const JobBuilder& builder);
SliceCut cut_rings(const CutInput& input);
void count_rings(const JobOptions& options, u64 gpus, bool in_tables, WorkloadCounts& counts);

// chains.cpp: broadcast and reduce along the rings.
void add_broadcast_channel_ends(const JobBuilder& builder);
void add_reduce_channel_ends(const JobBuilder& builder);
SliceCut cut_chains(const CutInput& input);
void count_broadcast(const JobOptions& options, u64 gpus, bool in_tables, WorkloadCounts& counts);
void count_reduce(const JobOptions& options, u64 gpus, bool in_tables, WorkloadCounts& counts);

// trees.cpp: all-reduce over double binary trees.
void add_tree_channel_ends(const JobBuilder& builder);
SliceCut cut_trees(const CutInput& input);
void count_trees(const JobOptions& options, u64 gpus, bool in_tables, WorkloadCounts& counts);

// nvls.cpp: all-reduce by the switches of servers, with trees between servers.
void add_nvls_channel_ends(const JobBuilder& builder);
SliceCut cut_nvls(const CutInput& input);
void count_nvls(const JobOptions& options, u64 gpus, bool in_tables, WorkloadCounts& counts);

// point_to_point.cpp: send/recv between pairs.
void add_all_to_all_channel_ends(const JobBuilder& builder);
void add_all_to_all_v_channel_ends(const JobBuilder& builder);
void add_gather_channel_ends(const JobBuilder& builder);
void add_send_recv_channel_ends(const JobBuilder& builder);
void add_scatter_channel_ends(const JobBuilder& builder);
SliceCut cut_point_to_point(const CutInput& input);
void count_all_to_all(const JobOptions& options, u64 gpus, bool in_tables, WorkloadCounts& counts);
void count_all_to_all_v(const JobOptions& options, u64 gpus, bool in_tables, WorkloadCounts& counts);
void count_rooted(const JobOptions& options, u64 gpus, bool in_tables, WorkloadCounts& counts);
void count_send_recv(const JobOptions& options, u64 gpus, bool in_tables, WorkloadCounts& counts);
/// The bytes that a rank sends to another one by send/recv.
u64 peer_bytes(CollectiveKind kind, u64 bytes, u64 ranks);
/// An all-to-all without tables; the job's connections are numbered from `first_connection` on.
void set_all_pairs(const JobBuilder& builder, u64 first_connection);

// pxn.cpp: all-to-all with job.pxn.
void add_pxn_channel_ends(const JobBuilder& builder);
void count_pxn(const JobOptions& options, u64 gpus, WorkloadCounts& counts);

}  // namespace heddle
