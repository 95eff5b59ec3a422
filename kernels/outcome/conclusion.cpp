#include "kernels/outcome/conclusion.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>

#include "kernels/base/hash.hpp"
#include "kernels/outcome/totals.hpp"

namespace heddle {
namespace {

void explain_end(const Ending& ending, Outcome& out) {
  out.end_ps = ending.last_completion_ps;
  if (!ending.exhausted.empty()) {
    out.reason = EndReason::error;
    out.explanation = ending.exhausted;
    out.end_ps = ending.exhausted_ps;
  } else if (ending.failed.when_ps != kNever) {
    out.reason = EndReason::qp_failed;
    const u64 dropped = std::accumulate(std::begin(ending.totals.drops), std::end(ending.totals.drops), u64{0});
    out.explanation = explain_failed_qp(ending.failed, dropped);
    out.end_ps = ending.horizon_ps;
  } else if (!ending.deadlock.empty()) {
    out.reason = EndReason::deadlock;
    out.explanation = ending.deadlock;
    out.end_ps = ending.now_ps;
  } else if (ending.unfinished == 0 && ending.quiet) {
    out.reason = EndReason::complete;
  } else if (ending.now_ps >= kNever) {
    out.reason = EndReason::stalled;
    out.explanation = "nothing can ever happen again, but the run is not over";
  } else {
    out.reason = EndReason::horizon;
    out.end_ps = std::min(ending.now_ps, ending.horizon_ps);
    out.explanation = "the run ended before its work was done";
  }
}

}  // namespace

void add(Ending& sum, const Ending& part) {
  sum.event_digest += part.event_digest;
  sum.last_completion_ps = std::max(sum.last_completion_ps, part.last_completion_ps);
  sum.unfinished += part.unfinished;
  sum.quiet = sum.quiet && part.quiet;
  if (part.exhausted_ps < sum.exhausted_ps) {
    sum.exhausted_ps = part.exhausted_ps;
    sum.exhausted = part.exhausted;
  }
  sum.failed = earlier(sum.failed, part.failed);
  for (std::size_t i = 0; i < sum.collectives.size(); ++i) join(sum.collectives[i], part.collectives[i]);
  for (std::size_t i = 0; i < sum.iterations.size(); ++i) join(sum.iterations[i], part.iterations[i]);
}

u64 result_digest(const Outcome& outcome, u64 state_digest) {
  u64 digest = hash64(0, Stream::digest, static_cast<u64>(outcome.reason), static_cast<u64>(outcome.end_ps),
                      outcome.event_digest, state_digest);
  for_each_total(outcome.totals, [&](std::string_view name, u64 sum) {
    if (sum != 0 || name != "detours") digest = absorb(digest, sum);  // so that all runs without any keep theirs
  });
  return digest;
}

bool is_complete(const Ending& ending) {
  return ending.exhausted.empty() && ending.failed.when_ps == kNever && ending.deadlock.empty() &&
         ending.unfinished == 0 && ending.quiet;
}

Outcome conclude(Ending ending, u64 state_digest) {
  Outcome out;
  explain_end(ending, out);
  out.event_digest = ending.event_digest;
  out.totals = ending.totals;
  out.digest = result_digest(out, state_digest);
  out.collectives = std::move(ending.collectives);
  out.iterations = std::move(ending.iterations);
  return out;
}

}  // namespace heddle
