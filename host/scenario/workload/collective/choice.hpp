// By which layout and protocol a collective of a job is done: what its keys say, or the tuner.
#pragma once

#include <span>

#include "host/scenario/workload/collective/algorithms.hpp"
#include "host/scenario/workload/collective/tuner.hpp"
#include "host/scenario/workload/communicators.hpp"

namespace heddle {

struct Choice {
  u32 layout = 0;  // in layouts()
  Protocol protocol = Protocol::simple;
};

/// The kind that a configuration calls `word`. Throws ConfigError.
CollectiveKind kind_of(const std::string& word, u32 job);

/// The composed layout that a job asks for, if it does so for this kind; otherwise nullptr.
const Layout* composed_layout(const JobOptions& options, CollectiveKind kind);

/// What the tuner knows of a job's GPUs.
TunerInput tuner_input(const World& world, u32 ranks, u32 gpus_per_server, u32 channels);

/// Of the collectives of a list. Throws ConfigError: an algorithm is asked for that one of the calls does not have, or
/// none of them.
void check_algorithm_of_list(const JobOptions& options, u32 job, std::span<const CollectiveCall> calls);

/// Of a training job or a trace, whose kinds nobody chose one by one. Throws ConfigError: none of them has the
/// algorithm that is asked for. Those that do not have it take what `auto` takes.
void check_algorithm_of_programs(const JobOptions& options, u32 job, const Communicators& communicators);

/// For `bytes` of one of the job's collectives.
Choice choose(const JobOptions& options, CollectiveKind kind, u64 bytes, TunerInput input);

}  // namespace heddle
