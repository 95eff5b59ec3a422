// A job's composed collectives: a communicator for every part of every stage, and the program that runs them.
#pragma once

#include "host/scenario/workload/communicators.hpp"

namespace heddle {

/// Composes the collectives of the job's only communicator so far, which has all of its GPUs. Does nothing where none
/// is composed. Throws ConfigError.
void compose(const JobOptions& options, u32 job, Communicators& communicators, ProgramPlan& programs);

}  // namespace heddle
