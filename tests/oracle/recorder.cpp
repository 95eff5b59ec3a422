#include "tests/oracle/recorder.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace heddle::oracle {
namespace {

u32 gpus_of(const World& world, u32 task) {
  u32 gpus = 0;
  for (const ProgramRun& run : world.programs.runs) gpus += run.task == task;
  return gpus;
}

}  // namespace

Recorder::Recorder(const World& world, const OracleOptions& options)
    : options_(options), first_iteration_(first_iterations(world.programs)) {
  outcome_.iterations.resize(first_iteration_.back());
  outcome_.messages.resize(world.traffic.messages.size());
  outcome_.collectives.resize(world.collectives.collectives.size());
}

void Recorder::event(EventKind kind, TimePs t, NodeId node, u32 port, u32 cls, u64 value, u32 detail) {
  Event e;
  e.time_ps = t;
  e.value = value;
  e.node = node;
  e.port = static_cast<u16>(port);
  e.cls = static_cast<u8>(cls);
  e.kind = kind;
  e.detail = detail;
  count(kind, detail);
  bool on_request = kind == EventKind::depart || kind == EventKind::cts_wait || kind == EventKind::gpu_time ||
                    kind == EventKind::tcp_window;
  if (!on_request || options_.trace) outcome_.event_digest += digest_of(e);
  if ((options_.recorded_kinds >> static_cast<u32>(kind)) & 1) outcome_.events.push_back(e);
  if (kind == EventKind::message_acked || kind == EventKind::rank_finished || kind == EventKind::iteration_ended)
    last_completion_ps_ = t;
}

void Recorder::count(EventKind kind, u32 detail) {
  Totals& totals = outcome_.totals;
  switch (kind) {
    case EventKind::depart:
      ++totals.packet_hops;
      break;
    case EventKind::mark:
      ++totals.marks;
      break;
    case EventKind::pause:
      ++totals.pauses;
      break;
    case EventKind::resume:
      ++totals.resumes;
      break;
    case EventKind::drop:
      ++totals.drops[detail];
      break;
    case EventKind::cnp:
      ++totals.cnps;
      break;
    case EventKind::retransmit:
      ++totals.retransmits;
      break;
    case EventKind::timeout:
      ++totals.timeouts;
      break;
    case EventKind::message_received:
    case EventKind::message_acked:
    case EventKind::rank_entered:
    case EventKind::rank_finished:
    case EventKind::failure:
    case EventKind::iteration_ended:
    case EventKind::cts_wait:
    case EventKind::gpu_time:
    case EventKind::tcp_window:
      break;
  }
}

void Recorder::rank_entered(TimePs t, NodeId node, u32 collective, u32 rank) {
  CollectiveOutcome& c = outcome_.collectives[collective];
  if (c.first_enter_ps < 0) c.first_enter_ps = t;
  c.last_enter_ps = t;
  event(EventKind::rank_entered, t, node, 0, 0, (static_cast<u64>(collective) << 32) | rank);
}

void Recorder::rank_finished(TimePs t, NodeId node, u32 collective, u32 rank) {
  CollectiveOutcome& c = outcome_.collectives[collective];
  if (c.first_finish_ps < 0) c.first_finish_ps = t;
  c.last_finish_ps = t;
  ++c.ranks_finished;
  event(EventKind::rank_finished, t, node, 0, 0, (static_cast<u64>(collective) << 32) | rank);
}

void Recorder::iteration_begun(TimePs t, u32 task, u32 iteration) {
  IterationOutcome& i = outcome_.iterations[first_iteration_[task] + iteration];
  if (i.first_begin_ps < 0) i.first_begin_ps = t;
  i.last_begin_ps = t;
}

void Recorder::iteration_ended(TimePs t, NodeId node, u32 task, u32 iteration, TimePs compute_ps,
                               const std::vector<TimePs>& waited_ps) {
  IterationOutcome& i = outcome_.iterations[first_iteration_[task] + iteration];
  if (i.first_end_ps < 0) i.first_end_ps = t;
  i.last_end_ps = t;
  ++i.gpus_ended;
  i.compute_ps += static_cast<u64>(compute_ps);
  i.max_compute_ps = std::max(i.max_compute_ps, compute_ps);
  for (u32 g = 0; g < kGroups; ++g) {
    i.waited_ps[g] += static_cast<u64>(waited_ps[g]);
    i.max_waited_ps[g] = std::max(i.max_waited_ps[g], waited_ps[g]);
  }
  event(EventKind::iteration_ended, t, node, 0, 0, (static_cast<u64>(task) << 32) | iteration);
}

bool Recorder::all_done(const World& world) const {
  for (const MessageOutcome& m : outcome_.messages) {
    if (m.acked_ps < 0) return false;
  }
  const CollectivePlan& plan = world.collectives;
  for (const Job& job : plan.jobs) {
    for (u32 collective : job.collectives) {
      if (outcome_.collectives[collective].ranks_finished < job.ranks.size()) return false;
    }
  }
  for (const ProgramRun& run : world.programs.runs) {
    const u32 iterations = world.programs.tasks[run.task].iterations;
    if (outcome_.iterations[first_iteration_[run.task] + iterations - 1].gpus_ended < gpus_of(world, run.task))
      return false;
  }
  return true;
}

Outcome Recorder::finish() {
  auto key = [](const Event& e) { return std::tuple(e.time_ps, e.node, e.port, e.kind, e.cls, e.value, e.detail); };
  std::sort(outcome_.events.begin(), outcome_.events.end(),
            [&](const Event& a, const Event& b) { return key(a) < key(b); });
  return std::move(outcome_);
}

}  // namespace heddle::oracle
