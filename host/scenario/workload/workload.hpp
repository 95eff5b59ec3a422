// From options to the traffic and collectives of a World.
#pragma once

#include <functional>
#include <vector>

#include "host/scenario/workload/job_options.hpp"
#include "host/scenario/workload/options.hpp"
#include "host/scenario/workload/size_cdf.hpp"
#include "io/foreign/plain.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Everything that decides the workload. Files are read by the caller.
struct WorkloadInput {
  WorkloadOptions settings;
  std::vector<MessageOptions> messages;
  std::string flow_file;              // what `flows` were read from, for errors
  std::vector<PlainFlow> flows;       // between endpoints; their messages come after `messages`
  std::vector<PlainFlowWaits> waits;  // [flow]; empty: none waits
  u32 flow_nodes = 0;                 // that flow_file says it is for; 0: it does not say
  u32 flow_nodes_line = 0;            // where
  std::vector<GeneratorOptions> generators;
  std::vector<SizeCdf> size_cdfs;  // [generator]; empty where it has none
  std::vector<SlowReceiverOptions> slow_receivers;
  std::vector<JobOptions> jobs;
};

struct WorkloadCounts;

/// Called with all that the workload will have, as far as it is known by then, before memory is taken for it. Throws
/// what it does not admit.
using Admission = std::function<void(const WorkloadCounts& counts)>;

/// Fills world.traffic and world.collectives (but its settings), and the receive buffers of slow NICs in world.fabric.
/// Of `input`, flows are let go as soon as they are messages: there may be millions.
/// Needs the fabric, routing, seed, roce and clocks.slot_log2_ps. Throws ConfigError.
void build_workload(WorkloadInput input, World& world, const Admission& admit = {});

}  // namespace heddle
