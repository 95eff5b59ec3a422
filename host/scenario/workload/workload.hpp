// Conversion of options to the traffic and collectives of a World.
#pragma once

#include <functional>
#include <vector>

#include "host/scenario/controller/network_options.hpp"
#include "host/scenario/workload/job_options.hpp"
#include "host/scenario/workload/options.hpp"
#include "host/scenario/workload/size_cdf.hpp"
#include "io/formats/plain.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// All inputs of the workload. The caller reads the files.
struct WorkloadInput {
  WorkloadOptions settings;
  std::vector<MessageOptions> messages;
  std::string flow_file;              // source of `flows`, for errors
  std::vector<PlainFlow> flows;       // between endpoints; their messages come after `messages`
  std::vector<PlainFlowWaits> waits;  // [flow]; empty: none waits
  u32 flow_nodes = 0;                 // number of nodes that flow_file declares; 0: none
  u32 flow_nodes_line = 0;            // line of that declaration
  std::vector<GeneratorOptions> generators;
  std::vector<SizeCdf> size_cdfs;  // [generator]; empty where it has none
  std::vector<SlowReceiverOptions> slow_receivers;
  std::vector<JobOptions> jobs;
  ControlNetworkOptions control;
};

/// A flow of the file as [[message]] would say it.
MessageOptions message_of_flow(const WorkloadInput& input, size_t flow);

struct WorkloadCounts;

/// Called with all counts known by then, before memory is allocated for the workload. Throws to refuse them.
using Admission = std::function<void(const WorkloadCounts& counts)>;

/// Fills world.traffic and world.collectives (without its settings), and the receive buffers of slow NICs in
/// world.fabric. Frees the flows of `input` as soon as they are messages: there may be millions. Needs the fabric,
/// routing, seed, roce and clocks.slot_log2_ps. Throws ConfigError.
void build_workload(WorkloadInput input, World& world, const Admission& admit = {});

}  // namespace heddle
