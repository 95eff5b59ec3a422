#include "host/workload/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/error.hpp"
#include "host/workload/collective/choice.hpp"
#include "io/results/bandwidth.hpp"
#include "partition/placement/placement.hpp"

namespace heddle {
namespace {

/// One collective as it will be done.
struct Planned {
  CollectiveKind kind;
  u64 bytes;
  TimePs start_ps;
  Choice choice;
};

/// All of a job, in order; each size `repeat` times.
struct JobPlan {
  std::vector<Planned> collectives;
  std::vector<u32> layouts;  // that it uses, ascending: its groups

  bool only_all_to_all() const {
    return std::ranges::all_of(collectives, [](const Planned& p) { return p.kind == CollectiveKind::all_to_all; });
  }
  u32 group_of(u32 layout) const { return static_cast<u32>(std::ranges::find(layouts, layout) - layouts.begin()); }
};

JobPlan plan_job(const JobOptions& options, u32 job, const World& world) {
  if (options.collectives.empty()) {
    throw ConfigError(fmt::format("job[{}]: has no [[job.collective]], so it would do nothing; add one", job));
  }
  const TunerInput tuner = tuner_input(world, static_cast<u32>(world.collectives.jobs[job].ranks.size()),
                                       options.gpus_per_server, channels_of(options));
  JobPlan plan;
  for (const CollectiveStepOptions& step : options.collectives) {
    const CollectiveKind kind = kind_of(step.kind, job);
    if (step.sizes_bytes.empty() || step.repeat == 0) {
      throw ConfigError(fmt::format(
          "job[{}].collective: {} has no sizes (or repeat = 0); give sizes, such as [\"64 MiB\"]", job, step.kind));
    }
    for (const u64 bytes : step.sizes_bytes) {
      if (bytes == 0) throw ConfigError(fmt::format("job[{}].collective.sizes: 0 B; give at least 1", job));
      const Planned planned{kind, bytes, step.start_ps, choose(options, job, kind, bytes, tuner)};
      if (plan.collectives.size() + step.repeat > kMaxCollectives) {
        throw ConfigError(
            fmt::format("job[{}].collective: with it there are more than {} collectives; use fewer sizes "
                        "or a smaller repeat",
                        job, kMaxCollectives));
      }
      plan.collectives.insert(plan.collectives.end(), step.repeat, planned);
    }
  }
  for (u32 layout = 0; layout < layouts().size(); ++layout) {
    if (std::ranges::any_of(plan.collectives, [&](const Planned& p) { return p.choice.layout == layout; }))
      plan.layouts.push_back(layout);
  }
  return plan;
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

/// A group's slices are numbered through all its collectives.
void check_slices(const JobDraft& draft, const JobPlan& plan) {
  for (u32 g = 0; g < plan.layouts.size(); ++g) {
    u64 slices = 0;
    const CollectivePlan& all = draft.world.collectives;
    for_each_collective(all, draft.job(), g, [&](const Collective& c) { slices += all.laws[c.law].total; });
    if (slices <= kMaxSlices) continue;
    const Layout& layout = layouts()[plan.layouts[g]];
    const bool send_recv = layout.algorithm == Algorithm::p2p;
    throw ConfigError(fmt::format(
        "job[{0}].collective: all its sizes and repetitions by {4} are {1} slices on every connection, and slices are "
        "numbered up to {2} in a job, as slots and QPs follow from the numbers; use a larger job[{0}].{3} (now {5} B; "
        "of the simple protocol), a smaller repeat, or several jobs with share_gpus = true that start one after the "
        "other",
        draft.index, slices, kMaxSlices, send_recv ? "p2p_slice" : "slice", algorithm_name(layout.algorithm),
        send_recv ? draft.options.p2p_slice_bytes : draft.options.slice_bytes));
  }
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
bool needs_tables(const Job& job, const JobPlan& plan, const std::vector<bool>& shared, const World& world) {
  return !plan.only_all_to_all() || world.routing.paths_are_given() ||
         std::any_of(job.ranks.begin(), job.ranks.end(), [&](EndpointId gpu) { return shared[gpu]; });
}

/// Lanes have room for as many peers as any lane needs, and so many ends are numbered in 32 bits.
void check_numbers(const WorkloadCounts& counts) {
  const u64 lanes = counts.lanes + 2 * counts.connections_on_use;
  if (!counts.several_peers || lanes * kPeersRoom <= 0xffffffff) return;
  throw ConfigError(
      fmt::format("job.algorithm: with the {} lanes of all jobs, trees need more numbers than there are in 32 bits; "
                  "set job.algorithm = \"ring\" in all jobs, or use fewer GPUs or p2p_channels in all_to_all",
                  lanes));
}

/// Of all-to-alls, as many peers at once as NCCL has thread blocks for.
u32 window_of(const JobOptions& options, const Layout& layout) {
  return layout.algorithm == Algorithm::p2p ? options.p2p_window_peers * options.p2p_channels : 0;
}

void add_groups(const JobDraft& draft, const JobPlan& plan, bool in_tables) {
  CollectivePlan& all = draft.world.collectives;
  for (const u32 l : plan.layouts) {
    LaneGroup group;
    group.window = window_of(draft.options, layouts()[l]);
    group.first_lane = static_cast<u32>(all.lanes.size());
    group.first_connection = static_cast<u32>(all.connections.size());
    if (in_tables) layouts()[l].add_lanes(draft);
    group.lanes = static_cast<u32>(all.lanes.size()) - group.first_lane;
    group.connections = static_cast<u32>(all.connections.size()) - group.first_connection;
    draft.job().groups.push_back(group);
  }
}

void add_collectives(const JobDraft& draft, const JobPlan& plan) {
  for (const Planned& p : plan.collectives) {
    const Layout& layout = layouts()[p.choice.layout];
    const Cut cut = layout.cut({p.kind, p.bytes, draft.ranks(), p.choice.protocol, draft.options});
    Collective collective;
    collective.kind = p.kind;
    collective.bytes = p.bytes;
    collective.start_ps = p.start_ps;
    collective.phases = cut.phases;
    collective.slices_full = cut.slices_full;
    collective.slices_tail = cut.slices_tail;
    collective.slots = cut.slots;
    collective.group = plan.group_of(p.choice.layout);
    collective.algorithm = layout.algorithm;
    collective.protocol = p.choice.protocol;
    draft.add_collective(collective, cut.law);
  }
}

}  // namespace

void add_jobs(std::span<const JobOptions> options, World& world, TrafficBuilder& traffic, WorkloadCounts counts,
              const JobAdmission& admit) {
  if (options.empty()) return;
  if (world.fabric.classes.size() < 2) throw ConfigError("job: collectives travel in class lossless; define it");
  for (u32 i = 0; i < options.size(); ++i) check_options(options[i], i, world.fabric.endpoints);
  place_jobs(options, world);
  const std::vector<bool> shared = shared_gpus(world, traffic);
  std::vector<JobPlan> plans;
  std::vector<bool> in_tables;
  for (u32 i = 0; i < options.size(); ++i) {
    const Job& job = world.collectives.jobs[i];
    plans.push_back(plan_job(options[i], i, world));
    in_tables.push_back(needs_tables(job, plans[i], shared, world));
    for (const u32 l : plans[i].layouts) layouts()[l].count(options[i], job.ranks.size(), in_tables[i], counts);
  }
  check_numbers(counts);
  if (admit) admit(counts);
  for (u32 i = 0; i < options.size(); ++i) {
    const JobDraft draft{options[i], i, world, traffic};
    draft.job().gpus_per_server = options[i].gpus_per_server;
    draft.job().channels = channels_of(options[i]);
    draft.job().scaling = options[i].qp_scaling == "split" ? QpScaling::split : QpScaling::round_robin;
    add_groups(draft, plans[i], in_tables[i]);
    add_collectives(draft, plans[i]);
    check_slices(draft, plans[i]);
  }
  u64 connections = world.collectives.connections.size();
  for (u32 i = 0; i < options.size(); ++i) {
    if (in_tables[i]) continue;
    const JobDraft draft{options[i], i, world, traffic};
    set_all_pairs(draft, connections);
    connections += draft.job().groups[0].connections;
  }
}

}  // namespace heddle
