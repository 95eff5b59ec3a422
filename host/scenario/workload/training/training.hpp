// A training job: its communicators, and a program for the GPUs of every pipeline stage.
#pragma once

#include "host/scenario/workload/communicators.hpp"

namespace heddle {

/// The communicators of job `job` of the configuration, whose GPUs by rank are `gpus`; adds its task and its programs
/// to `programs`. Throws ConfigError.
Communicators add_training(const JobOptions& options, u32 job, const std::vector<EndpointId>& gpus,
                           ProgramPlan& programs);

}  // namespace heddle
