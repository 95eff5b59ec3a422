#include "host/scenario/workload/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/error.hpp"
#include "host/scenario/workload/job_plan.hpp"
#include "host/scenario/workload/server_graph.hpp"
#include "host/scenario/workload/training/storage.hpp"
#include "kernels/world/servers.hpp"
#include "partition/placement/min_cut.hpp"
#include "partition/placement/placement.hpp"

namespace heddle {
namespace {

void check_options(const JobOptions& o, u32 job, const Fabric& fabric) {
  const u32 endpoints = count_gpus(fabric);
  if (o.gpus_per_server == 0) throw ConfigError(fmt::format("job[{}].gpus_per_server: must be at least 1", job));
  if (fabric.nics_per_server != 0 && o.gpus_per_server != fabric.nics_per_server) {
    throw ConfigError(
        fmt::format("job[{}].gpus_per_server = {}: the servers of this fabric have {} NICs, one on each rail, and as "
                    "many GPUs; set it to that, or the topology's `rails`",
                    job, o.gpus_per_server, fabric.nics_per_server));
  }
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
  if (o.nics_per_server > o.gpus_per_server) {
    throw ConfigError(fmt::format(
        "job[{0}].nics_per_server = {1}: more than job[{0}].gpus_per_server = {2}, and a GPU has one NIC here; "
        "leave it at 0 and give links their rate together",
        job, o.nics_per_server, o.gpus_per_server));
  }
  if (o.pxn && o.algorithm == "hierarchical") {
    throw ConfigError(
        fmt::format("job[{}].pxn: an all_to_all by algorithm = \"hierarchical\" sends on its rails as it is; "
                    "leave one of them out",
                    job));
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

/// The servers of a fabric when a job is placed.
struct ServerTable {
  std::vector<u32> rack_of, zone_of;
  std::vector<bool> taken;
};

ServerTable server_table(const JobOptions& o, const World& world, const std::vector<bool>& taken_gpus) {
  const u32 gps = o.gpus_per_server, servers = count_gpus(world.fabric) / gps;
  ServerTable table{std::vector<u32>(servers), std::vector<u32>(servers), std::vector<bool>(servers, false)};
  for (u32 s = 0; s < servers; ++s) {
    table.rack_of[s] = rack_of(world, s * gps);
    table.zone_of[s] = world.fabric.nodes[s * gps].zone;
    for (u32 i = 0; i < gps; ++i) table.taken[s] = table.taken[s] || (!o.share_gpus && taken_gpus[s * gps + i]);
  }
  return table;
}

/// Places as many servers as `in_order` has, chosen from all free ones by the expected traffic of the job.
std::vector<u32> place_by_min_cut(const JobOptions& o, u32 job, const World& world, const ServerTable& table,
                                  const std::vector<u32>& in_order) {
  const std::vector<u32> free =
      place_servers({.first_server = server_of(o.first_gpu, o.gpus_per_server)}, table.rack_of, table.taken);
  const ServerGraph graph = server_graph(o, job, static_cast<u32>(in_order.size()) * o.gpus_per_server, world);
  return place_min_cut(graph, free, table.zone_of, table.rack_of);
}

/// Places a job on whole servers; returns its GPUs in rank order.
std::vector<EndpointId> place(const JobOptions& o, u32 job, const World& world, const std::vector<bool>& taken_gpus) {
  const u32 gps = o.gpus_per_server;
  const ServerTable table = server_table(o, world, taken_gpus);
  const PlacementRequest request{.placement = placement_of(o.placement),
                                 .servers = o.gpus / gps,
                                 .first_server = server_of(o.first_gpu, gps),
                                 .seed = world.seed,
                                 .job = job};
  std::vector<u32> chosen = place_servers(request, table.rack_of, table.taken);
  if (chosen.empty() || chosen.size() * gps < std::max(o.gpus, 2u)) {
    throw ConfigError(
        fmt::format("job[{}].gpus: {} GPUs asked for, but {} placement finds {} ({} endpoints in servers of "
                    "{}, from GPU {} on, less those of earlier jobs); at least 2 are needed. Ask for fewer "
                    "or build a larger fabric",
                    job, o.gpus == 0 ? std::string("all") : std::to_string(o.gpus), o.placement, chosen.size() * gps,
                    count_gpus(world.fabric), gps, o.first_gpu));
  }
  if (request.placement == Placement::min_cut) chosen = place_by_min_cut(o, job, world, table, chosen);
  std::vector<EndpointId> gpus;
  for (u32 server : chosen) {
    for (u32 i = 0; i < gps; ++i) gpus.push_back(server * gps + i);
  }
  return gpus;
}

/// The GPUs of every job, by rank.
std::vector<std::vector<EndpointId>> place_jobs(std::span<const JobOptions> options, const World& world) {
  std::vector<std::vector<EndpointId>> gpus;
  std::vector<bool> taken(world.fabric.endpoints, false);
  for (u32 i = 0; i < options.size(); ++i) {
    gpus.push_back(place(options[i], i, world, taken));
    if (options[i].share_gpus) continue;
    for (const EndpointId gpu : gpus.back()) taken[gpu] = true;
  }
  return gpus;
}

void check_programs(const World& world) {
  std::vector<bool> has_one(world.fabric.endpoints, false);
  for (const ProgramRun& run : world.programs.runs) {
    if (has_one[run.gpu]) {
      throw ConfigError(fmt::format(
          "job[{}]: GPU {} has a program of an earlier job already (training, a trace, or collectives composed "
          "of stages), and it can have one only; leave share_gpus at false in one of them",
          world.programs.tasks[run.task].job, run.gpu));
    }
    has_one[run.gpu] = true;
  }
}

/// GPUs that send or receive traffic other than that of one job: messages, or another job.
std::vector<bool> shared_gpus(std::span<const std::vector<EndpointId>> jobs, const TrafficBuilder& traffic) {
  std::vector<bool> shared = traffic.with_messages(), seen(shared.size(), false);
  for (const std::vector<EndpointId>& gpus : jobs) {
    for (const EndpointId gpu : gpus) {
      if (seen[gpu]) shared[gpu] = true;
      seen[gpu] = true;
    }
  }
  return shared;
}

/// Whether an all-to-all needs tables: not on GPUs of its own, unless a path is given for each of its queue pairs.
bool needs_tables(const PlannedJob& plan, const std::vector<bool>& shared, const World& world) {
  const std::vector<EndpointId>& gpus = plan.communicators.all[0].ranks;
  const JobOptions& options = plan.communicators.sequences[0].options;
  return !plan.only_all_to_all() || options.slices_per_cts != 1 || options.pxn || world.routing.paths_are_given() ||
         std::ranges::any_of(gpus, [&](EndpointId gpu) { return shared[gpu]; });
}

/// Checks that channel ends, which all have room for as many peers as any of them needs, can be numbered in 32 bits.
void check_numbers(const WorkloadCounts& counts) {
  const u64 channel_ends = counts.channel_ends + 2 * counts.connections_on_use;
  if (!counts.several_peers || channel_ends * kPeersRoom <= 0xffffffff) return;
  throw ConfigError(fmt::format(
      "job.algorithm: with the {} channel ends of all jobs, trees and nvls need more numbers than there are in 32 "
      "bits; set job.algorithm = \"ring\" in all jobs, or use fewer GPUs or p2p_channels in all_to_all",
      channel_ends));
}

void make_communicators(const PlannedJob& plan, u32 job, const JobOptions& options, bool in_tables, World& world,
                        TrafficBuilder& traffic) {
  for (const Communicator& c : plan.communicators.all) {
    const Sequence& sequence = plan.communicators.sequences[c.sequence];
    const JobBuilder builder{
        sequence.options, job, options.gpus_per_server, static_cast<u32>(world.collectives.jobs.size()), world,
        traffic};
    world.collectives.jobs.push_back(job_of(c, sequence, job));
    add_groups(builder, plan.sequences[c.sequence], in_tables);
    add_collectives(builder, plan.sequences[c.sequence]);
  }
}

}  // namespace

void add_jobs(std::span<const JobOptions> options, World& world, TrafficBuilder& traffic, WorkloadCounts counts,
              const JobAdmission& admit) {
  if (options.empty()) return;
  if (world.fabric.classes.size() < 2) throw ConfigError("job: collectives travel in class lossless; define it");
  for (u32 i = 0; i < options.size(); ++i) check_options(options[i], i, world.fabric);
  const std::vector<std::vector<EndpointId>> gpus = place_jobs(options, world);
  const u64 messages = traffic.messages(), waits = traffic.waits();
  std::vector<PlannedJob> plans;
  for (u32 i = 0; i < options.size(); ++i) {
    plans.push_back(plan_job(options[i], i, gpus[i], world));
    add_storage(options[i], i, gpus, world, traffic);
  }
  counts.messages += traffic.messages() - messages;
  counts.waits += traffic.waits() - waits + waits_of(world.programs);
  counts.qps += traffic.messages() - messages;  // at most
  counts.tcp_qps += traffic.tcp_messages(messages);
  const std::vector<bool> shared = shared_gpus(gpus, traffic);
  std::vector<bool> in_tables;
  for (u32 i = 0; i < options.size(); ++i) {
    in_tables.push_back(needs_tables(plans[i], shared, world));
    for (const Communicator& c : plans[i].communicators.all)
      count_groups(plans[i].communicators.sequences[c.sequence], plans[i].sequences[c.sequence], in_tables[i], counts);
  }
  check_programs(world);
  check_numbers(counts);
  counts.iterations = first_iterations(world.programs).back();
  if (admit) admit(counts);
  world.collectives.collectives.reserve(counts.collectives);
  for (u32 i = 0; i < options.size(); ++i) make_communicators(plans[i], i, options[i], in_tables[i], world, traffic);
  u64 connections = world.collectives.connections.size();
  for (u32 i = 0, first = 0; i < options.size(); first += static_cast<u32>(plans[i].communicators.all.size()), ++i) {
    if (in_tables[i]) continue;
    const JobBuilder builder{options[i], i, options[i].gpus_per_server, first, world, traffic};
    set_all_pairs(builder, connections);
    connections += builder.job().groups[0].connections;
  }
}

}  // namespace heddle
