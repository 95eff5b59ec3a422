// A job's composed collectives: a communicator for every part of every stage, and the program that leads through them.
#pragma once

#include "host/scenario/workload/communicators.hpp"

namespace heddle {

/// Of the job's only communicator so far, with all of its GPUs. Does nothing where none of its collectives is composed.
/// Throws ConfigError.
void compose(const JobOptions& options, u32 job, Communicators& communicators, ProgramPlan& programs);

}  // namespace heddle
