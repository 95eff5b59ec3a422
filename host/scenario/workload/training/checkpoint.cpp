#include "host/scenario/workload/training/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/base/error.hpp"
#include "host/base/quantity_text.hpp"
#include "host/scenario/topology/other_fabric.hpp"
#include "host/scenario/workload/hosts.hpp"
#include "host/scenario/workload/job_options.hpp"
#include "host/scenario/workload/traffic_builder.hpp"
#include "io/units.hpp"
#include "kernels/base/hash.hpp"
#include "kernels/state/transport.hpp"
#include "kernels/world/servers.hpp"

namespace heddle {
namespace {

std::string key(u32 job, std::string_view name = "") {
  return fmt::format("job[{}].training.checkpoint{}{}", job, name.empty() ? "" : ".", name);
}

std::string fabric_text(const TrainingCheckpointOptions& o) {
  return o.fabric.empty() ? "the fabric of the GPUs" : "fabric " + o.fabric;
}

/// The storage servers, which are consecutive endpoints.
Hosts storage_of(const TrainingCheckpointOptions& o, u32 job, const Fabric& fabric) {
  Hosts all = hosts_of_fabric(fabric, o.fabric, key(job));
  if (const OtherFabric* other = find_fabric(fabric, o.fabric))
    all = {other->first + count_cpu_nics(*other), other->storage_hosts};
  if (all.count == 0 || (o.fabric.empty() && o.hosts == 0)) {
    throw ConfigError(
        fmt::format("{}: which hosts are storage servers? {}", key(job),
                    o.fabric.empty()
                        ? "Give first_host and hosts, which the job does not use, or fabric = the name of a [[fabric]] "
                          "with storage_hosts"
                        : fmt::format("{} has none: give it storage_hosts", fabric_text(o))));
  }
  const u32 hosts = o.hosts != 0 ? o.hosts : o.first_host < all.count ? all.count - o.first_host : 1;
  if (o.first_host >= all.count || hosts > all.count - o.first_host) {
    throw ConfigError(fmt::format("{}: {} storage servers from first_host = {} on, but {} has {} 0 to {}", key(job),
                                  hosts, o.first_host, fabric_text(o), o.fabric.empty() ? "hosts" : "storage hosts",
                                  all.count - 1));
  }
  return {all.first + o.first_host, hosts};
}

/// Whose NIC sends what a GPU writes: its own, or CPU NICs of its server in turn.
class Helpers {
 public:
  Helpers(const JobOptions& options, u32 job, const Fabric& fabric)
      : gpus_per_server_(options.gpus_per_server), other_(find_fabric(fabric, options.training.checkpoint.fabric)) {
    if (other_ == nullptr) return;
    const u32 servers = count_gpus(fabric) / gpus_per_server_, nics = count_cpu_nics(*other_);
    if (nics == 0 || nics % servers != 0) {
      throw ConfigError(fmt::format(
          "{}: fabric {} has {} CPU NICs ({} hosts less {} storage_hosts) for {} servers of {} GPUs; give each server "
          "as many, such as {}",
          key(job, "fabric"), other_->name, nics, other_->endpoints, other_->storage_hosts, servers, gpus_per_server_,
          servers));
    }
    nics_per_server_ = nics / servers;
  }

  /// The most GPUs for which one of them sends.
  u32 gpus_each() const { return other_ == nullptr ? 1 : (gpus_per_server_ + nics_per_server_ - 1) / nics_per_server_; }
  EndpointId of(EndpointId gpu) const {
    if (other_ == nullptr) return gpu;
    const u32 server = server_of(gpu, gpus_per_server_), number = gpu % gpus_per_server_;
    return other_->first + server * nics_per_server_ + number % nics_per_server_;
  }

 private:
  u32 gpus_per_server_, nics_per_server_ = 0;
  const OtherFabric* other_;
};

/// Checks that a NIC has numbers, of 16 bits, for the connections of the chunks that are not written at once.
void check_connections(const TrainingCheckpointOptions& o, u32 job, u64 bytes, u64 gpus_of_helper, u32 checkpoints) {
  const u64 parts = o.data_parts + o.parity_parts, chunks = divided_up(bytes, o.chunk_bytes);
  const u64 late = o.chunks_at_once == 0 || chunks <= o.chunks_at_once ? 0 : chunks - o.chunks_at_once;
  const u64 connections = late * parts * checkpoints * gpus_of_helper;
  if (connections <= kMaxQpsPerEndpoint) return;
  throw ConfigError(fmt::format(
      "{}: a NIC would send {} chunks in {} parts by a connection each, and can have {}; give larger chunks "
      "(chunk), or chunks_at_once = 0, where a GPU has one for each storage server",
      key(job), late * checkpoints * gpus_of_helper, parts, kMaxQpsPerEndpoint));
}

void check(const JobOptions& options, u32 job, std::span<const std::vector<EndpointId>> jobs, const Hosts& storage,
           u64 bytes) {
  const TrainingCheckpointOptions& o = options.training.checkpoint;
  const u32 parts = o.data_parts + o.parity_parts;
  if (options.training.iterations < o.every) {
    throw ConfigError(
        fmt::format("{} = {}: there are {} iterations, so no checkpoint would be written; give at most as many",
                    key(job, "every"), o.every, options.training.iterations));
  }
  if (parts > storage.count) {
    throw ConfigError(
        fmt::format("{}: data_parts = {} and parity_parts = {} are for as many storage servers, and there are {}",
                    key(job), o.data_parts, o.parity_parts, storage.count));
  }
  for (u32 other = 0; other < jobs.size(); ++other) {
    const auto both = std::ranges::find_if(
        jobs[other], [&](EndpointId gpu) { return gpu >= storage.first && gpu - storage.first < storage.count; });
    if (both == jobs[other].end()) continue;
    throw ConfigError(
        fmt::format("{}: host {} is a storage server and a GPU of job {}; let first_host and hosts name others, or "
                    "give the job fewer gpus",
                    key(job), *both, other));
  }
  const u64 copies = bytes * options.gpus_per_server;
  if (!o.blocking && copies > o.host_memory_bytes) {
    throw ConfigError(
        fmt::format("{}: the GPUs of a server copy {} to its memory, which has {}; write less (bytes_per_gpu), "
                    "take blocking = true, or give host_memory",
                    key(job), bytes_text(copies), bytes_text(o.host_memory_bytes)));
  }
}

/// Adds the messages of one checkpoint of one GPU.
class BatchWriter {
 public:
  BatchWriter(const TrainingCheckpointOptions& options, u32 job, u64 bytes, const Hosts& storage, World& world,
              TrafficBuilder& traffic)
      : o_(options),
        job_(job),
        bytes_(bytes),
        storage_(storage),
        traffic_class_(traffic.class_number(o_.traffic_class, {"job", job})),
        world_(world),
        traffic_(traffic) {}

  /// `run`: in World::programs.
  void write(u32 run, u32 rank, u32 checkpoint) const {
    ProgramPlan& programs = world_.programs;
    Batch batch{static_cast<u32>(programs.posted.size()), 0, static_cast<u32>(programs.awaited.size()), 0};
    std::vector<std::vector<u32>> chunks;
    for (u64 at = 0; at < bytes_; at += o_.chunk_bytes) {
      const std::vector<u32> parts = chunk(run, rank, checkpoint, chunks.size(), std::min(o_.chunk_bytes, bytes_ - at));
      const bool at_once = o_.chunks_at_once == 0 || chunks.size() < o_.chunks_at_once;
      for (const u32 part : parts) {
        programs.awaited.push_back({part, false});
        if (!at_once) {
          traffic_.post_behind(part, chunks[chunks.size() - o_.chunks_at_once], {"job", job_});
          continue;
        }
        traffic_.let_post(part, run);
        programs.posted.push_back(part);
      }
      chunks.push_back(parts);
    }
    batch.posted = static_cast<u32>(programs.posted.size()) - batch.first_posted;
    batch.awaited = static_cast<u32>(programs.awaited.size()) - batch.first_awaited;
    programs.batches.push_back(batch);
  }

 private:
  /// The messages of one chunk, to consecutive servers from one on that is drawn.
  std::vector<u32> chunk(u32 run, u32 rank, u32 checkpoint, u64 number, u64 bytes) const {
    const u64 draw = hash64(world_.seed, Stream::storage, (u64{job_} << 32) | rank, (u64{checkpoint} << 32) | number);
    std::vector<u32> parts;
    for (u32 p = 0; p < o_.data_parts + o_.parity_parts; ++p) {
      const EndpointId host = storage_.first + static_cast<u32>((draw % storage_.count + p) % storage_.count);
      parts.push_back(traffic_.add_message(world_.programs.runs[run].helper, host, divided_up(bytes, o_.data_parts), 0,
                                           traffic_class_, {"job", job_}));
    }
    return parts;
  }

  const TrainingCheckpointOptions& o_;
  u32 job_;
  u64 bytes_;
  Hosts storage_;
  u8 traffic_class_;
  World& world_;
  TrafficBuilder& traffic_;
};

}  // namespace

u64 checkpoint_bytes(const TrainingCheckpointOptions& options, const Transformer& model, u32 gpus) {
  if (options.bytes_per_gpu != 0) return options.bytes_per_gpu;
  return divided_up(model.parameters() * options.bytes_per_parameter, gpus);
}

std::vector<Op> checkpoint_operations(const TrainingPlan& plan) {
  const TrainingCheckpointOptions& o = plan.options.checkpoint;
  const auto in_every = [&](OpKind kind, TimePs ps) {
    return Op{.kind = kind, .group = static_cast<u8>(Group::storage), .n = o.every, .ps = ps};
  };
  const Op post = in_every(OpKind::post, 0), written = in_every(OpKind::written, 0);
  if (o.blocking) return {post, written};
  const u64 bytes = checkpoint_bytes(o, plan.model, plan.division.ranks());
  const double ps = static_cast<double>(bytes) / static_cast<double>(o.copy_bytes_per_s) * 1e12;
  if (ps >= static_cast<double>(kMaxComputePs)) {
    throw ConfigError(fmt::format("{} = {}: copying {} takes {:.1f} s, and {:.1f} s are the most; give more",
                                  key(plan.job, "copy_rate"),
                                  format_quantity(static_cast<i64>(o.copy_bytes_per_s), Quantity::bytes_per_s),
                                  bytes_text(bytes), ps / 1e12, static_cast<double>(kMaxComputePs) / 1e12));
  }
  return {written, in_every(OpKind::delay, std::llround(ps)), post};
}

void add_checkpoints(const JobOptions& options, u32 job, std::span<const std::vector<EndpointId>> jobs, World& world,
                     TrafficBuilder& traffic) {
  const TrainingCheckpointOptions& o = options.training.checkpoint;
  if (!options.training.present() || !o.present()) return;
  const std::vector<EndpointId>& gpus = jobs[job];
  const u32 ranks = static_cast<u32>(gpus.size());
  const u64 bytes = checkpoint_bytes(o, transformer_of(options.training, job), ranks);
  const Hosts storage = storage_of(o, job, world.fabric);
  check(options, job, jobs, storage, bytes);
  const Helpers helpers(options, job, world.fabric);
  check_connections(o, job, bytes, helpers.gpus_each(), options.training.iterations / o.every);
  const BatchWriter writer(o, job, bytes, storage, world, traffic);
  const u32 first_run = static_cast<u32>(world.programs.runs.size()) - ranks;
  for (u32 rank = 0; rank < ranks; ++rank) {
    ProgramRun& run = world.programs.runs[first_run + rank];
    run.helper = helpers.of(gpus[rank]);
    run.first_batch = static_cast<u32>(world.programs.batches.size());
    run.batches = options.training.iterations / o.every;
    for (u32 checkpoint = 0; checkpoint < run.batches; ++checkpoint) writer.write(first_run + rank, rank, checkpoint);
  }
}

}  // namespace heddle
