// By which layout and protocol a collective of a job is done: what its keys say, or the tuner.
#pragma once

#include "host/workload/collective/algorithms.hpp"
#include "host/workload/collective/tuner.hpp"

namespace heddle {

struct Choice {
  u32 layout = 0;  // in layouts()
  Protocol protocol = Protocol::simple;
};

/// The kind that a configuration calls `word`. Throws ConfigError.
CollectiveKind kind_of(const std::string& word, u32 job);

/// What the tuner knows of a job's GPUs.
TunerInput tuner_input(const World& world, u32 ranks, u32 gpus_per_server, u32 channels);

/// For `bytes` of one of the job's collectives. Throws ConfigError: no such algorithm or protocol for that kind.
Choice choose(const JobOptions& options, u32 job, CollectiveKind kind, u64 bytes, TunerInput input);

}  // namespace heddle
