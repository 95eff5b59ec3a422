// What a training job exchanges with storage servers: checkpoints, and data to train on (MODEL.md, 9.14).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/scenario/workload/hosts.hpp"
#include "host/scenario/workload/training/storage_options.hpp"

namespace heddle {

class TrafficBuilder;
struct JobOptions;
struct OtherFabric;
struct World;

/// "job[0].training.data.fabric"
std::string storage_key(u32 job, std::string_view section, std::string_view name = "");

/// The storage servers, which are consecutive endpoints and no GPUs of `jobs`. Throws ConfigError, which begins with
/// job[N].training.SECTION.
Hosts storage_servers(const StorageOptions& options, std::string_view section, u32 job,
                      std::span<const std::vector<EndpointId>> jobs, const Fabric& fabric);

/// Adds the messages of all checkpoints and loads of a job, and the batches in which its programs post them, to the
/// last runs of `world`, which are those of its GPUs; `jobs`: the GPUs of all. Throws ConfigError, which begins with
/// job[N].training.checkpoint or job[N].training.data.
void add_storage(const JobOptions& options, u32 job, std::span<const std::vector<EndpointId>> jobs, World& world,
                 TrafficBuilder& traffic);

}  // namespace heddle
