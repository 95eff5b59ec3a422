// Batches of messages that programs have posted, on their way between a GPU and its helper (MODEL.md, 9.14). Each word
// has one writer. The other side may see it early, which does no harm, as what it says is due a tick later at least.
#pragma once

#include "kernels/base/atomic.hpp"
#include "kernels/transport/sender.hpp"

namespace heddle {

/// When the next batch of `client` is to be taken; kNever: none has been handed over.
HEDDLE_FN TimePs next_batch_ps(const Programs& p, u32 client) {
  const GpuProgram& plan = p.gpu[p.client[client]];
  if (p.taken[client] == plan.batches) return kNever;
  return global_load(p.handed_ps[plan.first_batch + p.taken[client]]);
}

/// When GPU `e` learns that the next of its batches has ended; kNever: it is not known yet.
HEDDLE_FN TimePs next_batch_end_ps(const View& v, u32 e) {
  const Programs& p = v.collective.programs;
  if (p.gpu[e].program == kNone || p.state[e].ended == p.state[e].posted) return kNever;
  const MessageWaits& waits = v.endpoint.waits;
  const TimePs ended = global_load(waits.posted_ps[waits.messages + p.gpu[e].first_batch + p.state[e].ended]);
  return ended < 0 ? kNever : ended;
}

/// Sets when a batch next concerns endpoint `e`.
HEDDLE_FN void find_batch_due(const View& v, u32 e) {
  const Programs& p = v.collective.programs;
  TimePs due = next_batch_end_ps(v, e);
  for (u32 c = p.first_client[e]; c < p.first_client[e + 1]; ++c) {
    const TimePs next = next_batch_ps(p, c);
    due = next < due ? next : due;
  }
  v.collective.gpu[e].due_ps[kBatch] = due;
  Nic& nic = v.endpoint.nic[e];
  if (due < nic.work_due_ps) nic.work_due_ps = due;
}

/// Takes the batches that are due at t at this endpoint, and learns of those that have ended.
template <class Team>
HEDDLE_RARE_FN void handle_batches(const NicContext<Team> x, TimePs t) {
  const SenderSide<Team> senders(x);
  const Programs& p = x.v.collective.programs;
  for (u32 c = p.first_client[x.e]; c < p.first_client[x.e + 1]; ++c) {
    while (next_batch_ps(p, c) <= t) senders.take_batch(p.gpu[p.client[c]].first_batch + p.taken[c]++, t);
  }
  while (next_batch_end_ps(x.v, x.e) <= t) {
    ++p.state[x.e].ended;
    x.attend_to(kMembers);
  }
  find_batch_due(x.v, x.e);
}

}  // namespace heddle
