#include "host/scenario/workload/training/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "host/base/error.hpp"
#include "host/scenario/topology/other_fabric.hpp"
#include "host/scenario/workload/job_options.hpp"
#include "host/scenario/workload/traffic_builder.hpp"
#include "host/scenario/workload/training/checkpoint.hpp"
#include "host/scenario/workload/training/loads.hpp"
#include "kernels/world/servers.hpp"

namespace heddle {
namespace {

std::string fabric_text(const StorageOptions& o) {
  return o.fabric.empty() ? "the fabric of the GPUs" : "fabric " + o.fabric;
}

/// Whose NIC exchanges data with storage for a GPU: its own, or CPU NICs of its server in turn.
class Helpers {
 public:
  Helpers(const StorageOptions& options, std::string_view section, u32 job, u32 gpus_per_server, const Fabric& fabric)
      : gpus_per_server_(gpus_per_server), other_(find_fabric(fabric, options.fabric)) {
    if (other_ == nullptr) return;
    const u32 servers = count_gpus(fabric) / gpus_per_server_, nics = count_cpu_nics(*other_);
    if (nics == 0 || nics % servers != 0) {
      throw ConfigError(fmt::format(
          "{}: fabric {} has {} CPU NICs ({} hosts less {} storage_hosts) for {} servers of {} GPUs; give each server "
          "as many, such as {}",
          storage_key(job, section, "fabric"), other_->name, nics, other_->endpoints, other_->storage_hosts, servers,
          gpus_per_server_, servers));
    }
    nics_per_server_ = nics / servers;
  }

  EndpointId of(EndpointId gpu) const {
    if (other_ == nullptr) return gpu;
    const u32 server = server_of(gpu, gpus_per_server_), number = gpu % gpus_per_server_;
    return other_->first + server * nics_per_server_ + number % nics_per_server_;
  }

 private:
  u32 gpus_per_server_, nics_per_server_ = 0;
  const OtherFabric* other_;
};

}  // namespace

std::string storage_key(u32 job, std::string_view section, std::string_view name) {
  return fmt::format("job[{}].training.{}{}{}", job, section, name.empty() ? "" : ".", name);
}

Hosts storage_servers(const StorageOptions& o, std::string_view section, u32 job,
                      std::span<const std::vector<EndpointId>> jobs, const Fabric& fabric) {
  const std::string key = storage_key(job, section);
  Hosts all = hosts_of_fabric(fabric, o.fabric, key);
  if (const OtherFabric* other = find_fabric(fabric, o.fabric))
    all = {other->first + count_cpu_nics(*other), other->storage_hosts};
  if (all.count == 0 || (o.fabric.empty() && o.hosts == 0)) {
    throw ConfigError(
        fmt::format("{}: which hosts are storage servers? {}", key,
                    o.fabric.empty()
                        ? "Give first_host and hosts, which the job does not use, or fabric = the name of a [[fabric]] "
                          "with storage_hosts"
                        : fmt::format("{} has none: give it storage_hosts", fabric_text(o))));
  }
  const u32 hosts = o.hosts != 0 ? o.hosts : o.first_host < all.count ? all.count - o.first_host : 1;
  if (o.first_host >= all.count || hosts > all.count - o.first_host) {
    throw ConfigError(fmt::format("{}: {} storage servers from first_host = {} on, but {} has {} 0 to {}", key, hosts,
                                  o.first_host, fabric_text(o), o.fabric.empty() ? "hosts" : "storage hosts",
                                  all.count - 1));
  }
  const Hosts storage{all.first + o.first_host, hosts};
  for (u32 other = 0; other < jobs.size(); ++other) {
    const auto both = std::ranges::find_if(
        jobs[other], [&](EndpointId gpu) { return gpu >= storage.first && gpu - storage.first < storage.count; });
    if (both == jobs[other].end()) continue;
    throw ConfigError(
        fmt::format("{}: host {} is a storage server and a GPU of job {}; let first_host and hosts name others, or "
                    "give the job fewer gpus",
                    key, *both, other));
  }
  return storage;
}

void add_storage(const JobOptions& options, u32 job, std::span<const std::vector<EndpointId>> jobs, World& world,
                 TrafficBuilder& traffic) {
  const TrainingOptions& training = options.training;
  const bool writes = training.present() && training.checkpoint.present();
  const bool reads = training.present() && training.data.present();
  if (!writes && !reads) return;
  if (writes && reads && training.checkpoint.fabric != training.data.fabric) {
    throw ConfigError(
        fmt::format("{}: checkpoints go by another fabric (\"{}\"), but one NIC exchanges all data with "
                    "storage for a GPU; give both the same",
                    storage_key(job, "data", "fabric"), training.checkpoint.fabric));
  }
  const char* section = writes ? "checkpoint" : "data";
  const StorageOptions& either = writes ? static_cast<const StorageOptions&>(training.checkpoint) : training.data;
  const std::vector<EndpointId>& gpus = jobs[job];
  const u32 ranks = static_cast<u32>(gpus.size());
  const Division division = division_of(training, ranks, job);
  std::optional<TrainingCheckpointWriter> checkpoints;
  std::optional<LoadWriter> loads;
  if (writes) checkpoints.emplace(options, job, jobs, world, traffic);
  if (reads) {
    const Hosts servers = storage_servers(training.data, "data", job, jobs, world.fabric);
    loads.emplace(training, job, load_bytes(training, division), servers, world, traffic);
  }
  const Helpers helpers(either, section, job, options.gpus_per_server, world.fabric);
  const u32 first_run = static_cast<u32>(world.programs.runs.size()) - ranks;
  for (u32 rank = 0; rank < ranks; ++rank) {
    ProgramRun& run = world.programs.runs[first_run + rank];
    run.helper = helpers.of(gpus[rank]);
    run.first_batch = static_cast<u32>(world.programs.batches.size());
    if (writes) checkpoints->write(first_run + rank, rank);
    if (reads && reads_data(division.place_of(rank))) loads->write(first_run + rank, rank);
    run.batches = static_cast<u32>(world.programs.batches.size()) - run.first_batch;
  }
}

}  // namespace heddle
