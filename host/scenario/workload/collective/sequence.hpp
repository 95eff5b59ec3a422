// A sequence of collectives: which layouts it takes, and how each of its collectives is cut.
#pragma once

#include <vector>

#include "host/scenario/workload/collective/algorithms.hpp"
#include "host/scenario/workload/communicators.hpp"

namespace heddle {

struct SequencePlan {
  std::vector<u32> layouts;             // that it uses, ascending: the groups of its communicators
  std::vector<Collective> collectives;  // in order, of one round; of no job yet
  u32 rounds = 1;

  u64 count() const { return collectives.size() * u64{rounds}; }

  bool only_all_to_all() const;
};

/// Chooses algorithms and protocols, and adds the schedules of the slices to the World. Throws ConfigError, naming job
/// `job`.
SequencePlan plan_sequence(const Sequence& sequence, u32 job, World& world);

/// Adds what add_groups() will make of one communicator.
void count_groups(const Sequence& sequence, const SequencePlan& plan, bool in_tables, WorkloadCounts& counts);

/// Connections and channel ends of one communicator.
void add_groups(const JobBuilder& builder, const SequencePlan& plan, bool in_tables);

/// Its collectives.
void add_collectives(const JobBuilder& builder, const SequencePlan& plan);

}  // namespace heddle
