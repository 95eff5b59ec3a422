// `heddle sweep --run`: the runs of a sweep on this machine, several processes at a time.
#pragma once

#include <string>

#include "host/cli/sweep/plan.hpp"

namespace heddle {

/// Starts `heddle run` for every run that has no result yet, or one that could be taken further, going on from its
/// checkpoint where there is one; says how each ended, on a line; leaves their output in NNN.log. Ctrl-C, SIGTERM and
/// SIGUSR1 are passed on: runs are saved, and the same command goes on. Returns what `heddle compare FOLDER` would, but
/// kExitRequeue when it was stopped before every run had a result. Throws InputError: no folder of a sweep;
/// ConfigError: plan_of; IoError: somebody else runs this sweep now.
int run_sweep(const std::string& folder, const SweepRunArguments& arguments);

}  // namespace heddle
