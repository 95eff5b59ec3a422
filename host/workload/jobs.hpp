// Jobs: placement, connections, lanes and the sequence of collectives.
#pragma once

#include <functional>
#include <span>

#include "host/workload/job_options.hpp"
#include "host/workload/traffic_builder.hpp"

namespace heddle {

/// In tables, of all jobs together: 9 GB of tables and state, all of it there from the start.
inline constexpr u64 kMaxConnections = u64{1} << 24;
/// Of all jobs together: connections are numbered in 32 bits, and so are lanes, of which each has two.
inline constexpr u64 kMaxNumberedConnections = (u64{1} << 31) - 1;
/// Of all jobs together: sizes times repetitions.
inline constexpr u64 kMaxCollectives = u64{1} << 24;

/// Called of every job, before anything is made for the first, with its GPUs and whether it will be in tables.
using JobAdmission = std::function<void(const JobOptions& job, u64 gpus, bool in_tables)>;

/// Adds every job to world.collectives and its QPs to `traffic`. Throws ConfigError.
void add_jobs(std::span<const JobOptions> options, World& world, TrafficBuilder& traffic, const JobAdmission& admit);

/// Rings of a job.
u32 channels_of(const JobOptions& options);

/// A job whose ranks are known, while its connections and lanes are made.
struct JobDraft {
  const JobOptions& options;
  u32 index = 0;  // in the plan
  World& world;
  TrafficBuilder& traffic;

  Job& job() const { return world.collectives.jobs[index]; }
  /// Whether NVLink joins two GPUs: the same server.
  bool same_server(EndpointId a, EndpointId b) const {
    return options.gpus_per_server > 1 && a / options.gpus_per_server == b / options.gpus_per_server;
  }
  /// Adds a connection, with QPs unless it is NVLink; returns its number.
  u32 add_connection(EndpointId src, EndpointId dst, u32 channel) const;
  /// Adds a collective of this job whose streams follow `law`; job and law numbers are filled in.
  void add_collective(Collective collective, const SliceLaw& law) const;
  /// Rank numbers in order of their GPUs: lanes are ordered by GPU.
  std::vector<u32> ranks_by_gpu() const;
};

/// Rings through all ranks, one per channel (rings.cpp).
void add_ring_lanes(const JobDraft& draft);
void add_ring_collective(const JobDraft& draft, CollectiveKind kind, u64 bytes, TimePs start_ps);

/// Send/recv between pairs (point_to_point.cpp).
void add_all_to_all_lanes(const JobDraft& draft);
/// The same without tables; the job's connections are numbered from `first_connection` on.
void set_all_pairs(const JobDraft& draft, u64 first_connection);
void add_gather_lanes(const JobDraft& draft);
void add_point_to_point_collective(const JobDraft& draft, CollectiveKind kind, u64 bytes, TimePs start_ps);

}  // namespace heddle
