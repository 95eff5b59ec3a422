// Jobs: placement, groups of channel ends, and the sequence of collectives.
#pragma once

#include <functional>
#include <span>

#include "host/scenario/workload/counts.hpp"
#include "host/scenario/workload/job_options.hpp"
#include "host/scenario/workload/traffic_builder.hpp"

namespace heddle {

/// Called before the first job is built, with the counts of all jobs. Throws to refuse them.
using JobAdmission = std::function<void(const WorkloadCounts& counts)>;

/// Adds every job to world.collectives and its QPs to `traffic`. `counts` holds the other entities. Throws ConfigError.
void add_jobs(std::span<const JobOptions> options, World& world, TrafficBuilder& traffic, WorkloadCounts counts,
              const JobAdmission& admit);

}  // namespace heddle
