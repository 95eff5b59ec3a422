// A sequence of collectives: the groups it uses, and how each of its collectives is cut.
#pragma once

#include <vector>

#include "host/scenario/workload/collective/algorithms.hpp"
#include "host/scenario/workload/communicators.hpp"

namespace heddle {

/// The layout of a group of each of a sequence's communicators, and on how many channels.
struct PlannedGroup {
  u32 layout, channels;
  auto operator<=>(const PlannedGroup&) const = default;  // NOLINT(modernize-use-nullptr): the 0 is of <=>
};

struct SequencePlan {
  std::vector<PlannedGroup> groups;     // ascending
  std::vector<Collective> collectives;  // in order, of one round; without a job so far
  u32 rounds = 1;

  u64 count() const { return collectives.size() * u64{rounds}; }

  bool only_all_to_all() const;
};

/// The options of a sequence, for one group.
JobOptions options_of(const JobOptions& sequence, const PlannedGroup& group);

/// Chooses algorithms and protocols, and adds the schedules of the slices to the World. Throws ConfigError, naming job
/// `job`.
SequencePlan plan_sequence(const Sequence& sequence, u32 job, World& world);

/// Adds the counts of what add_groups() will make for one communicator.
void count_groups(const Sequence& sequence, const SequencePlan& plan, bool in_tables, WorkloadCounts& counts);

/// Adds the connections and channel ends of one communicator.
void add_groups(const JobBuilder& builder, const SequencePlan& plan, bool in_tables);

/// Adds the collectives of one communicator.
void add_collectives(const JobBuilder& builder, const SequencePlan& plan);

}  // namespace heddle
