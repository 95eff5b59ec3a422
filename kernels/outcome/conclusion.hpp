// How a run ended, from what its parts say.
#pragma once

#include "kernels/outcome/failed_qp.hpp"
#include "kernels/outcome/outcome.hpp"

namespace heddle {

/// What one part of a World knows at the end. An engine of the whole World is one part.
struct Ending {
  u64 event_digest = 0;
  Totals totals;
  TimePs last_completion_ps = 0;
  u64 unfinished = 0;                      // messages, ranks or iterations
  bool quiet = true;                       // nothing is held, on its way, or paused
  TimePs now_ps = 0, horizon_ps = kNever;  // the same in all parts
  TimePs exhausted_ps = kNever;            // every instant before it was simulated, then there was no memory left
  std::string exhausted;                   // where the packets are; empty: there was enough memory
  std::string deadlock;                    // the cycle; empty: none
  FailedQp failed;
  std::vector<CollectiveOutcome> collectives;  // of the ranks that are here
  std::vector<IterationOutcome> iterations;    // likewise
};

/// Adds what another part says; not totals, which are sums word by word, nor what all parts know alike.
void add(Ending& sum, const Ending& part);

/// The digest of a run: how and when it ended, its events, its sums, and the state in which it left everything.
u64 result_digest(const Outcome& outcome, u64 state_digest);

/// Nothing is left to do, nor to happen.
bool is_complete(const Ending& ending);

/// The outcome of the World, without messages, links, events and warnings. `state_digest`: at the end.
Outcome conclude(Ending ending, u64 state_digest);

}  // namespace heddle
