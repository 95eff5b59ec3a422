#include "host/workload/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "host/error.hpp"
#include "host/workload/slice_law.hpp"
#include "partition/placement/placement.hpp"

namespace heddle {
namespace {

/// NCCL's 8 steps: a ring slice takes 2 of them, a send/recv slice 1.
constexpr u32 kRingSlots = 4, kPointToPointSlots = 8;

/// What a job's collectives have in common: its lanes serve all of them.
enum class Pattern : u8 { ring, all_to_all, gather };

CollectiveKind kind_of(const std::string& word, u32 job) {
  if (word == "all_reduce") return CollectiveKind::all_reduce;
  if (word == "all_gather") return CollectiveKind::all_gather;
  if (word == "reduce_scatter") return CollectiveKind::reduce_scatter;
  if (word == "all_to_all") return CollectiveKind::all_to_all;
  if (word == "gather") return CollectiveKind::gather;
  throw ConfigError(
      fmt::format("job[{}].collective.kind: \"{}\" is unknown; choose all_reduce, all_gather, "
                  "reduce_scatter, all_to_all or gather",
                  job, word));
}

Pattern pattern_of(CollectiveKind kind) {
  if (kind == CollectiveKind::all_to_all) return Pattern::all_to_all;
  return kind == CollectiveKind::gather ? Pattern::gather : Pattern::ring;
}

Pattern pattern_of(const JobOptions& options, u32 job) {
  if (options.collectives.empty()) {
    throw ConfigError(fmt::format("job[{}]: has no [[job.collective]], so it would do nothing; add one", job));
  }
  const Pattern pattern = pattern_of(kind_of(options.collectives.front().kind, job));
  for (const CollectiveStepOptions& step : options.collectives) {
    if (pattern_of(kind_of(step.kind, job)) == pattern) continue;
    throw ConfigError(
        fmt::format("job[{}]: {} and {} in one job; rings, all_to_all and gather have different "
                    "connections. Make two jobs with share_gpus = true and a later start for the second",
                    job, options.collectives.front().kind, step.kind));
  }
  return pattern;
}

void check_options(const JobOptions& o, u32 job, u32 endpoints) {
  if (o.gpus_per_server == 0) throw ConfigError(fmt::format("job[{}].gpus_per_server: must be at least 1", job));
  if (o.gpus > endpoints || o.first_gpu >= endpoints) {
    throw ConfigError(
        fmt::format("job[{}]: gpus = {} from first_gpu = {} on, but the fabric has {} endpoints (0 to {}); ask for "
                    "fewer or build a larger fabric",
                    job, o.gpus, o.first_gpu, endpoints, endpoints - 1));
  }
  if (o.gpus == 1) throw ConfigError(fmt::format("job[{}].gpus: 1 GPU has nobody to talk to; give at least 2", job));
  if (o.gpus % o.gpus_per_server != 0 || o.first_gpu % o.gpus_per_server != 0) {
    throw ConfigError(
        fmt::format("job[{}]: gpus = {} and first_gpu = {} must be multiples of gpus_per_server = {}; jobs "
                    "use whole servers",
                    job, o.gpus, o.first_gpu, o.gpus_per_server));
  }
  if (o.slice_bytes == 0 || o.slice_bytes % 16 != 0 || o.p2p_slice_bytes == 0 || o.p2p_slice_bytes % 16 != 0) {
    throw ConfigError(
        fmt::format("job[{}]: slice = {} B and p2p_slice = {} B must be multiples of 16 B (vectors of the "
                    "copy kernel)",
                    job, o.slice_bytes, o.p2p_slice_bytes));
  }
  if (o.slices_per_chunk < 1 || o.slices_per_chunk > 2 || o.slots > 8 || o.p2p_channels == 0 ||
      o.qps_per_connection == 0 || o.qps_per_connection > 128) {
    throw ConfigError(
        fmt::format("job[{}]: slices_per_chunk must be 1 or 2, slots at most 8, p2p_channels at least 1 and "
                    "qps_per_connection 1 to 128",
                    job));
  }
}

/// GPUs in rank order, whole servers.
std::vector<EndpointId> place(const JobOptions& o, u32 job, const World& world, const std::vector<bool>& taken_gpus) {
  const u32 gps = o.gpus_per_server, servers = world.fabric.endpoints / gps;
  std::vector<u32> rack_of(servers);
  std::vector<bool> taken(servers, false);
  for (u32 s = 0; s < servers; ++s) {
    rack_of[s] = world.routing.group_of[s * gps];
    for (u32 i = 0; i < gps; ++i) taken[s] = taken[s] || (!o.share_gpus && taken_gpus[s * gps + i]);
  }
  const PlacementRequest request{.placement = placement_of(o.placement),
                                 .servers = o.gpus / gps,
                                 .first_server = o.first_gpu / gps,
                                 .seed = world.seed,
                                 .job = job};
  const std::vector<u32> chosen = place_servers(request, rack_of, taken);
  if (chosen.empty() || chosen.size() * gps < std::max(o.gpus, 2u)) {
    throw ConfigError(
        fmt::format("job[{}].gpus: {} GPUs asked for, but {} placement finds {} ({} endpoints in servers of "
                    "{}, from GPU {} on, less those of earlier jobs); at least 2 are needed. Ask for fewer "
                    "or build a larger fabric",
                    job, o.gpus == 0 ? std::string("all") : std::to_string(o.gpus), o.placement, chosen.size() * gps,
                    world.fabric.endpoints, gps, o.first_gpu));
  }
  std::vector<EndpointId> gpus;
  for (u32 server : chosen) {
    for (u32 i = 0; i < gps; ++i) gpus.push_back(server * gps + i);
  }
  return gpus;
}

void add_lanes(const JobDraft& draft, Pattern pattern) {
  switch (pattern) {
    case Pattern::ring:
      return add_ring_lanes(draft);
    case Pattern::all_to_all:
      return add_all_to_all_lanes(draft);
    case Pattern::gather:
      return add_gather_lanes(draft);
  }
}

void add_collectives(const JobDraft& draft, Pattern pattern) {
  for (const CollectiveStepOptions& step : draft.options.collectives) {
    const CollectiveKind kind = kind_of(step.kind, draft.index);
    if (step.sizes_bytes.empty() || step.repeat == 0) {
      throw ConfigError(
          fmt::format("job[{}].collective: {} has no sizes (or repeat = 0); give sizes, such as [\"64 MiB\"]",
                      draft.index, step.kind));
    }
    for (u64 bytes : step.sizes_bytes) {
      if (bytes == 0) throw ConfigError(fmt::format("job[{}].collective.sizes: 0 B; give at least 1", draft.index));
      for (u32 i = 0; i < step.repeat; ++i) {
        (pattern == Pattern::ring ? add_ring_collective : add_point_to_point_collective)(draft, kind, bytes,
                                                                                         step.start_ps);
      }
    }
  }
}

void check_slices(const JobDraft& draft, Pattern pattern) {
  u64 slices = 0;
  for (const u32 id : draft.job().collectives) {
    const CollectivePlan& plan = draft.world.collectives;
    slices += plan.laws[plan.collectives[id].law].total;
  }
  if (slices <= kMaxSlices) return;
  const bool ring = pattern == Pattern::ring;
  throw ConfigError(fmt::format(
      "job[{0}].collective: all its sizes and repetitions are {1} slices on every connection, and slices are numbered "
      "up to {2} in a job, as slots and QPs follow from the numbers; use a larger job[{0}].{3} (now {4} B), a smaller "
      "repeat, or several jobs with share_gpus = true that start one after the other",
      draft.index, slices, kMaxSlices, ring ? "slice" : "p2p_slice",
      ring ? draft.options.slice_bytes : draft.options.p2p_slice_bytes));
}

/// The GPUs of every job.
void place_jobs(std::span<const JobOptions> options, World& world) {
  std::vector<bool> taken(world.fabric.endpoints, false);
  for (u32 i = 0; i < options.size(); ++i) {
    Job job;
    job.ranks = place(options[i], i, world, taken);
    if (!options[i].share_gpus) {
      for (EndpointId gpu : job.ranks) taken[gpu] = true;
    }
    world.collectives.jobs.push_back(std::move(job));
  }
}

/// GPUs that send or receive something else than one job: messages, or another job.
std::vector<bool> shared_gpus(const World& world, const TrafficBuilder& traffic) {
  std::vector<bool> shared = traffic.with_messages(), seen(world.fabric.endpoints, false);
  for (const Job& job : world.collectives.jobs) {
    for (EndpointId gpu : job.ranks) {
      if (seen[gpu]) shared[gpu] = true;
      seen[gpu] = true;
    }
  }
  return shared;
}

/// All-to-alls on GPUs of their own need no tables, unless a path is given for each of their queue pairs.
bool needs_tables(const Job& job, Pattern pattern, const std::vector<bool>& shared, const World& world) {
  return pattern != Pattern::all_to_all || world.routing.paths_are_given() ||
         std::any_of(job.ranks.begin(), job.ranks.end(), [&](EndpointId gpu) { return shared[gpu]; });
}

void add_tables(const JobDraft& draft, Pattern pattern) {
  CollectivePlan& plan = draft.world.collectives;
  draft.job().first_lane = static_cast<u32>(plan.lanes.size());
  draft.job().first_connection = static_cast<u32>(plan.connections.size());
  add_lanes(draft, pattern);
  Job& job = draft.job();
  job.lanes = static_cast<u32>(plan.lanes.size()) - job.first_lane;
  job.connections = static_cast<u32>(plan.connections.size()) - job.first_connection;
}

void add_job(const JobDraft& draft, Pattern pattern) {
  const JobOptions& options = draft.options;
  Job& job = draft.job();
  job.slots = options.slots != 0 ? options.slots : pattern == Pattern::ring ? kRingSlots : kPointToPointSlots;
  job.scaling = options.qp_scaling == "split" ? QpScaling::split : QpScaling::round_robin;
  job.p2p_window = pattern == Pattern::ring ? 0 : options.p2p_window_peers * options.p2p_channels;
  add_collectives(draft, pattern);
  check_slices(draft, pattern);
}

}  // namespace

u32 JobDraft::add_connection(EndpointId src, EndpointId dst, u32 channel) const {
  std::vector<Connection>& connections = world.collectives.connections;
  if (connections.size() == kMaxConnections) {
    throw ConfigError(fmt::format("job[{}]: with it there are more than {} connections; use fewer GPUs or channels",
                                  index, kMaxConnections));
  }
  const u32 number = static_cast<u32>(connections.size());
  Connection connection;
  connection.src = src;
  connection.dst = dst;
  connection.channel = channel;
  connection.nvlink = same_server(src, dst);
  connections.push_back(connection);
  if (!connection.nvlink) traffic.add_connection(number, src, dst, options.qps_per_connection);
  return number;
}

void JobDraft::add_collective(Collective collective, const SliceLaw& law) const {
  CollectivePlan& plan = world.collectives;
  if (plan.collectives.size() == kMaxCollectives) {
    throw ConfigError(
        fmt::format("job[{}].collective: with it there are more than {} collectives; use fewer sizes or a "
                    "smaller repeat",
                    index, kMaxCollectives));
  }
  collective.job = index;
  collective.law = static_cast<u32>(plan.laws.size());
  plan.laws.push_back(law);
  job().collectives.push_back(static_cast<u32>(plan.collectives.size()));
  plan.collectives.push_back(collective);
}

std::vector<u32> JobDraft::ranks_by_gpu() const {
  const std::vector<EndpointId>& gpus = job().ranks;
  std::vector<u32> ranks(gpus.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::sort(ranks.begin(), ranks.end(), [&](u32 a, u32 b) { return gpus[a] < gpus[b]; });
  return ranks;
}

u32 channels_of(const JobOptions& options) {
  return options.channels != 0 ? options.channels : (options.gpus_per_server < 2 ? 2 : options.gpus_per_server);
}

void add_jobs(std::span<const JobOptions> options, World& world, TrafficBuilder& traffic, const JobAdmission& admit) {
  if (options.empty()) return;
  if (world.fabric.classes.size() < 2) throw ConfigError("job: collectives travel in class lossless; define it");
  std::vector<Pattern> patterns;
  for (u32 i = 0; i < options.size(); ++i) {
    check_options(options[i], i, world.fabric.endpoints);
    patterns.push_back(pattern_of(options[i], i));
  }
  place_jobs(options, world);
  const std::vector<bool> shared = shared_gpus(world, traffic);
  for (u32 i = 0; i < options.size(); ++i) {
    const Job& job = world.collectives.jobs[i];
    admit(options[i], job.ranks.size(), needs_tables(job, patterns[i], shared, world));
  }
  std::vector<JobDraft> without_tables;
  for (u32 i = 0; i < options.size(); ++i) {
    const JobDraft draft{options[i], i, world, traffic};
    if (needs_tables(draft.job(), patterns[i], shared, world)) {
      add_tables(draft, patterns[i]);
    } else {
      without_tables.push_back(draft);
    }
    add_job(draft, patterns[i]);
  }
  u64 connections = world.collectives.connections.size();
  for (const JobDraft& draft : without_tables) {
    set_all_pairs(draft, connections);
    connections += draft.job().connections;
  }
}

}  // namespace heddle
