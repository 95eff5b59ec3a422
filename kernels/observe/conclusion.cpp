#include "kernels/observe/conclusion.hpp"

#include <algorithm>

namespace heddle {
namespace {

TimePs earlier(TimePs a, TimePs b) { return a < 0 || (b >= 0 && b < a) ? b : a; }  // -1: never

void add(CollectiveOutcome& sum, const CollectiveOutcome& part) {
  sum.first_enter_ps = earlier(sum.first_enter_ps, part.first_enter_ps);
  sum.first_finish_ps = earlier(sum.first_finish_ps, part.first_finish_ps);
  sum.last_enter_ps = std::max(sum.last_enter_ps, part.last_enter_ps);
  sum.last_finish_ps = std::max(sum.last_finish_ps, part.last_finish_ps);
  sum.ranks_finished += part.ranks_finished;
}

void explain_end(const Ending& ending, Outcome& out) {
  out.end_ps = ending.last_completion_ps;
  if (!ending.exhausted.empty()) {
    out.reason = EndReason::error;
    out.explanation = ending.exhausted;
    out.end_ps = ending.exhausted_ps;
  } else if (ending.failed.when_ps != kNever) {
    out.reason = EndReason::qp_failed;
    out.explanation = explain_failed_qp(ending.failed, ending.rto_tries);
    out.end_ps = ending.horizon_ps;
  } else if (!ending.deadlock.empty()) {
    out.reason = EndReason::deadlock;
    out.explanation = ending.deadlock;
    out.end_ps = ending.now_ps;
  } else if (ending.unfinished == 0 && ending.quiet) {
    out.reason = EndReason::complete;
  } else if (ending.now_ps >= kNever) {
    out.reason = EndReason::stalled;
    out.explanation =
        "nothing can ever happen again, but messages or ranks are unfinished: " + std::to_string(ending.unfinished);
  } else {
    out.reason = EndReason::horizon;
    out.end_ps = std::min(ending.now_ps, ending.horizon_ps);
    out.explanation = "messages or ranks that were unfinished: " + std::to_string(ending.unfinished);
  }
}

}  // namespace

void add(Ending& sum, const Ending& part) {
  sum.digest += part.digest;
  sum.last_completion_ps = std::max(sum.last_completion_ps, part.last_completion_ps);
  sum.unfinished += part.unfinished;
  sum.quiet = sum.quiet && part.quiet;
  if (part.exhausted_ps < sum.exhausted_ps) {
    sum.exhausted_ps = part.exhausted_ps;
    sum.exhausted = part.exhausted;
  }
  sum.failed = earlier(sum.failed, part.failed);
  for (std::size_t i = 0; i < sum.collectives.size(); ++i) add(sum.collectives[i], part.collectives[i]);
}

Outcome conclude(Ending ending) {
  Outcome out;
  explain_end(ending, out);
  out.digest = ending.digest;
  out.totals = ending.totals;
  out.collectives = std::move(ending.collectives);
  return out;
}

}  // namespace heddle
