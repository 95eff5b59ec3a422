// Counts of what happened in the worlds that were run.
#pragma once

#include <array>
#include <string>

#include "kernels/outcome/totals.hpp"

namespace heddle::property {

/// Sums over worlds, as the oracle counts. Plain numbers, because its bytes travel between processes.
struct Coverage {
  u64 worlds = 0;
  std::array<u64, 6> reasons{};  // by EndReason
  Totals totals;
  u64 messages_acked = 0, ranks_finished = 0, iterations_ended = 0;

  void add(const Outcome& outcome);
  void add(const Coverage& other);

  /// Returns one line: worlds, how they ended, hops, marks, pauses, CNPs, retransmissions, timeouts, drops by cause,
  /// completions.
  std::string line() const;
};

/// Visits every number with its name, for code that sums, writes or reads all of them.
template <class C, class F>
void for_each_number(C& coverage, F&& f) {
  constexpr std::array kReasons = {"complete", "horizon", "stalled", "deadlock", "qp_failed", "error"};
  f("worlds", coverage.worlds);
  for (std::size_t r = 0; r < kReasons.size(); ++r) f(kReasons[r], coverage.reasons[r]);
  for_each_sum(coverage.totals, f);
  f("messages_acked", coverage.messages_acked);
  f("ranks_finished", coverage.ranks_finished);
  f("iterations_ended", coverage.iterations_ended);
}

}  // namespace heddle::property
