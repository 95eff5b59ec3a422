#include "kernels/observe/invariants/checker.hpp"

#include "kernels/observe/invariants/accounts.hpp"
#include "kernels/observe/invariants/phases.hpp"
#include "kernels/observe/invariants/queue_pairs.hpp"
#include "kernels/observe/invariants/updates.hpp"

namespace heddle {

InvariantChecker::InvariantChecker(const Model& model)
    : model_(model),
      before_(static_cast<std::size_t>(model.view.links) * model.view.settings.classes),
      now_(before_.size()),
      queues_(model),
      links_(model),
      switches_(model),
      pauses_(model),
      flows_(model) {}

std::string InvariantChecker::find_violation(const TickDone& tick, const Tally& tally) {
  const View& v = model_.view;
  looks_ += now_.size();
  for (std::size_t q = 0; q < now_.size(); ++q) {
    now_[q] = {v.head[tick.parity][q], v.queue[q].sent, v.queue[q].tail};
    looks_ += v.queue[q].tail - v.head[tick.parity][q];
  }
  const std::string problem = look({model_, v, tick, tally, before_, now_});
  before_.swap(now_);
  if (problem.empty()) return {};
  return problem + " (in the tick from " + std::to_string(tick.from_ps) + " to " + std::to_string(tick.to_ps) + " ps)";
}

/// Checks the records of phases first, which are nearest to the cause; then queues, because the other checks rely on
/// readable positions.
std::string InvariantChecker::look(const Reading& r) {
  std::string problem = check_phases(r);
  if (problem.empty()) problem = check_updates(r);
  if (r.v.settings.links_fail) {  // ledgers follow packets end to end and cannot account for losses on links
    if (problem.empty()) problem = check_accounts(r);
    return problem.empty() ? check_queue_pairs(r) : problem;
  }
  if (problem.empty()) problem = queues_.check(r);
  if (problem.empty()) problem = check_accounts(r);
  if (problem.empty()) problem = pauses_.check(r);
  if (problem.empty()) problem = links_.check(r);
  if (problem.empty()) problem = switches_.check(r);
  if (problem.empty()) problem = check_queue_pairs(r);
  if (problem.empty()) problem = flows_.check(r);
  return problem;
}

}  // namespace heddle
