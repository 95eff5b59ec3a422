// Batches of messages that programs have posted, on their way between a GPU and its helper (MODEL.md, 9.14). Each word
// has one writer. The other side may see it early, which does no harm, as what it says is due a tick later at least.
#pragma once

#include "kernels/base/atomic.hpp"
#include "kernels/transport/sender.hpp"

namespace heddle {

/// When the next batch of `client` is to be taken; kNever: none has been handed over.
HEDDLE_FN TimePs next_batch_ps(const Programs& p, u32 client) {
  const BatchRange batches = p.series_of_client(client);
  if (p.taken[client] == batches.count) return kNever;
  return global_load(p.handed_ps[batches.first + p.taken[client]]);
}

/// When GPU `e` learns that the next of its batches of a series has ended; kNever: it is not known yet.
HEDDLE_FN TimePs next_batch_end_ps(const View& v, u32 e, u32 series) {
  const Programs& p = v.collective.programs;
  const u32 ended = p.state[e].ended[series];
  if (p.gpu[e].program == kNone || ended == p.state[e].posted[series]) return kNever;
  const MessageWaits& waits = v.endpoint.waits;
  const TimePs ended_ps = global_load(waits.posted_ps[waits.messages + p.gpu[e].series[series].first + ended]);
  return ended_ps < 0 ? kNever : ended_ps;
}

/// Sets when a batch next concerns endpoint `e`.
HEDDLE_FN void find_batch_due(const View& v, u32 e) {
  const Programs& p = v.collective.programs;
  TimePs due = kNever;
  for (u32 s = 0; s < kBatchSeries; ++s) {
    const TimePs next = next_batch_end_ps(v, e, s);
    due = next < due ? next : due;
  }
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
    while (next_batch_ps(p, c) <= t) senders.take_batch(p.series_of_client(c).first + p.taken[c]++, t);
  }
  for (u32 s = 0; s < kBatchSeries; ++s) {
    while (next_batch_end_ps(x.v, x.e, s) <= t) {
      ++p.state[x.e].ended[s];
      x.attend_to(kMembers);
    }
  }
  find_batch_due(x.v, x.e);
}

}  // namespace heddle
