// Messages that wait for other messages (MODEL.md, 8.9) or are posted by programs (9.14).
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>

#include "kernels/instantiate/instantiate.hpp"

namespace heddle {
namespace {

[[noreturn]] void refuse(const char* what) { throw std::invalid_argument(std::string("transport: ") + what); }

const Qp& qp_of(const Traffic& traffic, MessageId m) { return traffic.qps[traffic.messages[m].qp]; }

/// The endpoint that knows when a message has been received, or acknowledged.
EndpointId knows(const Traffic& traffic, MessageId m, bool received) {
  return received ? qp_of(traffic, m).dst : qp_of(traffic, m).src;
}

/// Checks that a waiting message awaits messages that end where it begins. Returns [message] for how many it waits.
std::vector<u32> check_waits(const Traffic& traffic) {
  std::vector<u32> awaited(traffic.messages.size(), 0);
  for (const MessageWait& wait : traffic.waits) {
    if (wait.awaited >= traffic.messages.size() || wait.waiting >= traffic.messages.size())
      refuse("a message waits that is not in the table, or for one");
    if (knows(traffic, wait.awaited, wait.received) != qp_of(traffic, wait.waiting).src)
      refuse("a message waits for one of which its sender does not know the end");
    ++awaited[wait.waiting];
  }
  const auto order = [](const MessageWait& a, const MessageWait& b) {
    return std::tie(a.awaited, a.received, a.waiting) < std::tie(b.awaited, b.received, b.waiting);
  };
  if (!std::ranges::is_sorted(traffic.waits, order)) refuse("waits are not in order");
  return awaited;
}

/// Whether the table has this stretch of `of`.
bool has(std::size_t of, u32 first, u32 count) { return first <= of && count <= of - first; }

/// Checks the batches of one run, and notes of each of their messages which batch posts it.
void check_batches(const World& world, const ProgramRun& run, std::vector<u32>& batch_of) {
  const ProgramPlan& plan = world.programs;
  const Traffic& traffic = world.traffic;
  if (!has(plan.batches.size(), run.first_batch, run.batches)) refuse("batches that are not in the table");
  for (u32 b = run.first_batch; b < run.first_batch + run.batches; ++b) {
    const Batch& batch = plan.batches[b];
    if (!has(plan.posted.size(), batch.first_posted, batch.posted) ||
        !has(plan.awaited.size(), batch.first_awaited, batch.awaited))
      refuse("a batch has messages that are not in the table");
    for (u32 i = batch.first_posted; i < batch.first_posted + batch.posted; ++i) {
      const u32 m = plan.posted[i];
      if (m >= traffic.messages.size() || qp_of(traffic, m).src != run.helper)
        refuse("a batch posts a message that its helper does not send");
      if (batch_of[m] != kNone) refuse("a message is posted twice");
      batch_of[m] = b;
    }
    for (u32 i = batch.first_awaited; i < batch.first_awaited + batch.awaited; ++i) {
      const AwaitedMessage& awaited = plan.awaited[i];
      if (awaited.message >= traffic.messages.size() || knows(traffic, awaited.message, awaited.received) != run.helper)
        refuse("a batch awaits a message of which its helper does not know the end");
    }
  }
}

/// The messages of batches in a queue pair are of one series of a run, in the order of its batches. Others may stand
/// between them.
void check_queue_pairs(const World& world, const std::vector<u32>& batch_of) {
  std::vector<u32> series_of(world.programs.batches.size(), kNone);
  for (u32 r = 0; r < world.programs.runs.size(); ++r) {
    const ProgramRun& run = world.programs.runs[r];
    for (u32 series = 0; series < kBatchSeries; ++series) {
      const BatchRange batches = run.series(static_cast<BatchSeries>(series));
      std::fill_n(series_of.begin() + batches.first, batches.count, kBatchSeries * r + series);
    }
  }
  u32 before = kNone;  // the last batch in this queue pair
  for (MessageId m = 0; m < world.traffic.messages.size(); ++m) {
    if (m != 0 && world.traffic.messages[m - 1].qp != world.traffic.messages[m].qp) before = kNone;
    const u32 batch = batch_of[m];
    if (batch == kNone) continue;
    if (before != kNone && (series_of[before] != series_of[batch] || before > batch))
      refuse("a queue pair has messages of several programs, or not in the order of their batches");
    before = batch;
  }
}

/// [message] the batch that posts it, kNone: none does.
std::vector<u32> batches_of_messages(const World& world) {
  std::vector<u32> batch_of(world.traffic.messages.size(), kNone);
  for (const ProgramRun& run : world.programs.runs) check_batches(world, run, batch_of);
  check_queue_pairs(world, batch_of);
  return batch_of;
}

void check_all(const World& world) {
  const std::vector<u32> awaited = check_waits(world.traffic), batch_of = batches_of_messages(world);
  for (MessageId m = 0; m < awaited.size(); ++m) {
    const u32 waits_for = world.traffic.messages[m].waits_for, of = awaited[m] + (batch_of[m] != kNone ? 1 : 0);
    if (awaited[m] != 0 && batch_of[m] != kNone) refuse("a message that a batch posts waits for others");
    if (waits_for > of) refuse("a message waits for more than it names");
    if (of != 0 && waits_for == 0) refuse("a message names others and waits for none");
  }
}

/// What waits, by what it waits for: places as in MessageWaits::first.
class Table {
 public:
  Table(const World& world, const Model& model) : world_(world), model_(model) {
    for_each([&](u32 place, const WaitingMessage&) { ++first_[place + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<u32> next(first_.begin(), first_.end() - 1);
    waiting_.resize(first_.back());
    for_each([&](u32 place, const WaitingMessage& waiting) { waiting_[next[place]++] = waiting; });
  }

  const std::vector<u32>& first() const { return first_; }
  const std::vector<WaitingMessage>& waiting() const { return waiting_; }

 private:
  WaitingMessage message(MessageId m) const {
    return {m, qp_of(world_.traffic, m).sender_number, world_.traffic.messages[m].post_ps};
  }

  /// Calls f(place, what waits there).
  template <class F>
  void for_each(const F& f) const {
    const u32 messages = static_cast<u32>(world_.traffic.messages.size());
    for (const MessageWait& wait : world_.traffic.waits)
      f(2 * wait.awaited + (wait.received ? 1 : 0), message(wait.waiting));
    const ProgramPlan& plan = world_.programs;
    for (const ProgramRun& run : plan.runs) {
      for (u32 b = run.first_batch; b < run.first_batch + run.batches; ++b) {
        const Batch& batch = plan.batches[b];
        const WaitingMessage itself{messages + b, model_.local_endpoint[run.gpu], plan.handover_ps};
        for (u32 i = 0; i < batch.posted; ++i) f(2 * messages + b, message(plan.posted[batch.first_posted + i]));
        f(2 * messages + b, itself);
        for (u32 i = 0; i < batch.awaited; ++i) {
          const AwaitedMessage& awaited = plan.awaited[batch.first_awaited + i];
          f(2 * awaited.message + (awaited.received ? 1 : 0), itself);
        }
      }
    }
  }

  const World& world_;
  const Model& model_;
  std::vector<u32> first_ =
      std::vector<u32>(2 * world_.traffic.messages.size() + world_.programs.batches.size() + 1, 0);
  std::vector<WaitingMessage> waiting_;
};

}  // namespace

void instantiate_message_waits(const World& world, Model& model) {
  if (!model.view.settings.messages_wait) return;
  check_all(world);
  View& v = model.view;
  Arrays& a = model.arrays;
  MessageWaits& to = v.endpoint.waits;
  const auto& messages = world.traffic.messages;
  const auto& batches = world.programs.batches;
  const Table table(world, model);
  to.messages = static_cast<u32>(messages.size());
  a.add_plan(v, to.first, "first waiting message", table.first());
  a.add_plan(v, to.waiting, "waiting messages", table.waiting());
  const std::size_t all = messages.size() + batches.size();
  u32* left = a.add<u32>(v, to.left, "messages waited for", StateKind::dense, all);
  TimePs* posted = a.add<TimePs>(v, to.posted_ps, "message posted", StateKind::dense, all);
  for (std::size_t m = 0; m < messages.size(); ++m) left[m] = messages[m].waits_for;
  for (std::size_t b = 0; b < batches.size(); ++b)
    left[messages.size() + b] = batches[b].awaited + 1;  // and for itself
  std::fill_n(posted, all, TimePs{-1});
}

}  // namespace heddle
