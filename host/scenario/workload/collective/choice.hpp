// The layout and protocol of a job's collective: set by its keys, or chosen by the tuner.
#pragma once

#include <span>

#include "host/scenario/workload/collective/algorithms.hpp"
#include "host/scenario/workload/collective/tuner.hpp"
#include "host/scenario/workload/communicators.hpp"

namespace heddle {

struct Choice {
  u32 layout = 0;  // index in layouts()
  Protocol protocol = Protocol::simple;
  u32 channels = 0;  // 0: of send/recv, and composed ones
};

/// The kind named `word` in a configuration. Throws ConfigError.
CollectiveKind kind_of(const std::string& word, u32 job);

/// The composed layout that a job requests for this kind; otherwise nullptr.
const Layout* composed_layout(const JobOptions& options, CollectiveKind kind);

/// What the tuner knows of a communicator's GPUs: `options` are its sequence's.
TunerInput tuner_input(const World& world, const JobOptions& options);

/// Checks the algorithm for the collectives of a list. Throws ConfigError: the kind of a call lacks the requested
/// algorithm, or no call has algorithms.
void check_algorithm_of_list(const JobOptions& options, u32 job, std::span<const CollectiveCall> calls);

/// Checks the algorithm of a training job or a trace, whose kinds were not chosen one by one. Throws ConfigError: none
/// of them has the requested algorithm. Kinds that do not have it use the choice of `auto`.
void check_algorithm_of_programs(const JobOptions& options, u32 job, const Communicators& communicators);

/// Whether `auto` may choose the algorithm: NVLS only where the job's servers have it.
bool auto_may_choose(const JobOptions& options, Algorithm algorithm);

/// The choice for `bytes` of one of the collectives of a sequence with these options. `input` is tuner_input's.
Choice choose(const JobOptions& options, CollectiveKind kind, u64 bytes, TunerInput input);

}  // namespace heddle
