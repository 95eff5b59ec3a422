// What NCCL's tuner expects of the collectives of jobs, and what they take.
#pragma once

#include <span>
#include <string>

#include "host/scenario/workload/job_options.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// For each job and kind that has several algorithms or protocols: latency and bandwidth of each by the tuner's model,
/// what every size is done by, and what else the model expects to take about as long. "" without.
std::string collective_text(const World& world);

/// Where `auto` has taken an algorithm and protocol that its model puts within 5 % of another one: both, and how to ask
/// for the other. `jobs` are the configuration's. "" without.
std::string near_ties_text(const World& world, std::span<const JobOptions> jobs);

}  // namespace heddle
