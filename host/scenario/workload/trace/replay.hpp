// A trace as a job: its communicators, and a program for every GPU.
#pragma once

#include "host/scenario/workload/communicators.hpp"
#include "io/formats/trace.hpp"

namespace heddle {

/// The communicators of job `job` of the configuration, whose GPUs by rank are `gpus`, as many as the trace has ranks;
/// adds its task and its programs to `programs`. Throws ConfigError.
Communicators add_trace(const JobOptions& options, u32 job, const std::vector<EndpointId>& gpus, const Trace& trace,
                        ProgramPlan& programs);

}  // namespace heddle
