// Jobs: placement, groups of channel ends, and the sequence of collectives.
#pragma once

#include <functional>
#include <span>

#include "host/scenario/workload/counts.hpp"
#include "host/scenario/workload/job_options.hpp"
#include "host/scenario/workload/traffic_builder.hpp"

namespace heddle {

/// Called before anything is made for the first job, with all that the jobs will have. Throws what it does not admit.
using JobAdmission = std::function<void(const WorkloadCounts& counts)>;

/// Adds every job to world.collectives and its QPs to `traffic`. `counts` holds what there is besides. Throws
/// ConfigError.
void add_jobs(std::span<const JobOptions> options, World& world, TrafficBuilder& traffic, WorkloadCounts counts,
              const JobAdmission& admit);

}  // namespace heddle
