// The traffic between the servers of a job, before it is placed.
#pragma once

#include "host/scenario/workload/job_options.hpp"
#include "kernels/world/world.hpp"
#include "partition/placement/division.hpp"

namespace heddle {

/// The graph of job `job` on `gpus` GPUs: its communicators are built in a World of their own, one after the other, on
/// servers 0, 1, ... in rank order. Of `world` only the rates of NICs and NVLink are used. An all-to-all of all ranks
/// is the same between every two servers and is not built. Throws ConfigError.
ServerGraph server_graph(const JobOptions& options, u32 job, u32 gpus, const World& world);

}  // namespace heddle
