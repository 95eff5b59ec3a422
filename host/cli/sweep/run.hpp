// `heddle sweep --run`: the runs of a sweep on this machine, several processes at a time.
#pragma once

#include <string>

#include "host/cli/sweep/plan.hpp"

namespace heddle {

/// Starts `heddle run` for every run that has no result yet, or one that can be continued, resuming from its checkpoint
/// where there is one; prints how each ended, on a line; leaves their output in NNN.log. Ctrl-C, SIGTERM and SIGUSR1
/// are forwarded: runs are saved, and the same command resumes. Returns what `heddle compare FOLDER` would, but
/// kExitRequeue when it was stopped before every run had a result. Throws InputError: no folder of a sweep;
/// ConfigError: plan_of; IoError: another process runs this sweep now.
int run_sweep(const std::string& folder, const SweepRunArguments& arguments);

}  // namespace heddle
