// Collects the results of a run: events, their digest, totals, completions.
#pragma once

#include "kernels/outcome/outcome.hpp"
#include "kernels/world/world.hpp"
#include "tests/oracle/oracle.hpp"

namespace heddle::oracle {

class Recorder {
 public:
  Recorder(const World& world, const OracleOptions& options);

  /// Counts an event in totals and event digest, and keeps it when its kind is recorded.
  void event(EventKind kind, TimePs t, NodeId node, u32 port, u32 cls, u64 value, u32 detail = 0);

  /// A rank enters or finishes a collective.
  void rank_entered(TimePs t, NodeId node, u32 collective, u32 rank);
  void rank_finished(TimePs t, NodeId node, u32 collective, u32 rank);

  /// A GPU begins or ends an iteration of its program.
  void iteration_begun(TimePs t, u32 task, u32 iteration);
  void iteration_ended(TimePs t, NodeId node, u32 task, u32 iteration, TimePs compute_ps,
                       const std::vector<TimePs>& waited_ps);

  TimePs last_completion_ps() const { return last_completion_ps_; }
  bool all_done(const World& world) const;
  Outcome& outcome() { return outcome_; }
  /// Returns the outcome with its events in the canonical order.
  Outcome finish();

 private:
  void count(EventKind kind, u32 detail);

  OracleOptions options_;
  std::vector<u32> first_iteration_;  // by task
  TimePs last_completion_ps_ = 0;
  Outcome outcome_;
};

}  // namespace heddle::oracle
