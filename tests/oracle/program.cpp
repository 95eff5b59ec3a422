#include "tests/oracle/program.hpp"

#include <algorithm>

#include "kernels/base/hash.hpp"

namespace heddle::oracle {

ProgramModel::ProgramModel(Simulation& sim, const ProgramRun& run, std::size_t communicators)
    : sim_(sim), run_(run), turns_(communicators), waited_ps_(kGroups, 0) {
  sim.wake(run.gpu, task().start_ps);
}

const Op& ProgramModel::op_of(std::size_t stream) const {
  const OpStream& ops = plan().streams[plan().programs[run_.program].first_stream + stream];
  return plan().ops[ops.first_op + streams_[stream].at];
}

bool ProgramModel::all_done(std::size_t stream) const {
  return streams_[stream].at == plan().streams[plan().programs[run_.program].first_stream + stream].ops;
}

bool ProgramModel::advance(TimePs t) {
  for (const BatchNotice& notice : sim_.nodes[run_.gpu]->batches_ended.take(t)) ++known_ended_[series_of(notice.batch)];
  bool any = false;
  while (iteration_ < task().iterations && task().start_ps <= t) {
    if (streams_.empty()) begin_iteration(t);
    bool changed = false;
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      if (all_done(s)) continue;
      if (!streams_[s].begun) {
        begin(s, t);
        changed = true;
      }
      if (!is_done(s, t)) continue;
      const Op& op = op_of(s);
      if (op.kind == OpKind::wait) expose(s, t);
      if (op.kind == OpKind::compute) report(op, kNoGroup, t - streams_[s].since_ps, t);
      ++streams_[s].at;
      streams_[s].begun = false;
      changed = true;
    }
    bool ended = true;
    for (std::size_t s = 0; s < streams_.size(); ++s) ended = ended && all_done(s);
    if (ended) end_iteration(t);
    if (!changed && !ended) return any;
    any = true;
  }
  return any;
}

void ProgramModel::report(const Op& op, u8 group, TimePs took_ps, TimePs t) {
  if (took_ps == 0) return;
  const auto index = static_cast<u32>(&op - plan().ops.data());
  sim_.recorder.event(EventKind::gpu_time, t, run_.gpu, 0, group, static_cast<u64>(took_ps), index);
}

/// Adds the time that a wait that names a group has taken until t, counted from the GPU's last computation.
void ProgramModel::expose(std::size_t stream, TimePs t) {
  const Op& op = op_of(stream);
  const TimePs since = std::max(streams_[stream].since_ps, busy_until_ps_);
  if (op.group == kNoGroup || since >= t) return;
  waited_ps_[op.group] += t - since;
  report(op, op.group, t - since, t);
}

/// Simultaneous computations count once.
void ProgramModel::compute(TimePs from, TimePs until) {
  if (from == until) return;
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    if (!all_done(s) && streams_[s].begun && op_of(s).kind == OpKind::wait) expose(s, from);
  }
  compute_ps_ += std::max<TimePs>(until - std::max(from, busy_until_ps_), 0);
  busy_until_ps_ = std::max(busy_until_ps_, until);
}

void ProgramModel::begin_iteration(TimePs t) {
  streams_.assign(plan().programs[run_.program].streams, {});
  compute_ps_ = 0;
  busy_until_ps_ = t;
  std::fill(waited_ps_.begin(), waited_ps_.end(), 0);
  sim_.recorder.iteration_begun(t, run_.task, iteration_);
}

void ProgramModel::end_iteration(TimePs t) {
  sim_.recorder.iteration_ended(t, run_.gpu, run_.task, iteration_, compute_ps_, waited_ps_);
  streams_.clear();
  ++iteration_;
}

void ProgramModel::begin(std::size_t stream, TimePs t) {
  Running& running = streams_[stream];
  const Op& op = op_of(stream);
  running.begun = true;
  running.since_ps = t;
  if (op.kind == OpKind::collective) running.target = ++turns(op.n).allowed;
  if (op.kind == OpKind::entered) running.target = ++turns(op.n).composed_awaited;
  if (op.kind == OpKind::finish) ++turns(op.n).composed_ended;
  if (op.kind == OpKind::post && takes_place_now(op)) hand_over(op.stream, t);
  if (op.kind != OpKind::compute && op.kind != OpKind::delay) return;
  TimePs takes = op.ps;
  if (op.kind == OpKind::delay && !takes_place_now(op)) takes = 0;
  if (op.kind == OpKind::compute) {
    takes = duration(static_cast<u32>(&op - plan().ops.data()));
    compute(t, t + takes);
  }
  running.until_ps = t + takes;
  sim_.wake(run_.gpu, running.until_ps);
}

/// The helper takes the next batch after the handover.
void ProgramModel::hand_over(u32 series, TimePs t) {
  const u32 first = run_.series(static_cast<BatchSeries>(series)).first;
  const BatchNotice batch{run_.gpu, first + handed_over_[series]};
  sim_.hand_over(run_.helper, batch, t + plan().handover_ps);
  ++handed_over_[series];
}

u32 ProgramModel::series_of(u32 batch) const { return batch >= run_.series(BatchSeries::loads).first ? 1 : 0; }

bool ProgramModel::is_done(std::size_t stream, TimePs t) const {
  const Running& running = streams_[stream];
  const Op& op = op_of(stream);
  if (op.kind == OpKind::compute || op.kind == OpKind::delay) return running.until_ps <= t;
  if (op.kind == OpKind::collective) return turns_.at(op.n).finished >= running.target;
  if (op.kind == OpKind::entered) return turns_.at(op.n).composed_entered >= running.target;
  if (op.kind == OpKind::finish || op.kind == OpKind::post) return true;
  if (op.kind == OpKind::written) return !takes_place_now(op) || known_ended_[op.stream] == handed_over_[op.stream];
  return streams_.at(op.stream).at >= op.n;
}

bool ProgramModel::computes(TimePs t) const {
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    if (!all_done(s) && streams_[s].begun && op_of(s).kind == OpKind::compute && streams_[s].until_ps > t) return true;
  }
  return false;
}

/// Returns the duration in the table plus two fractions of it: the GPU's own, and a random one.
TimePs ProgramModel::duration(u32 op_index) const {
  u64 word = (static_cast<u64>(iteration_) << 32) | op_index;
  u64 draw = hash32(sim_.world.seed, Stream::compute, run_.gpu, word);
  u64 more_q16 = run_.slower_q16 + ((draw * task().jitter_q16) >> 32);
  TimePs ps = plan().ops[op_index].ps;
  return ps + static_cast<TimePs>((static_cast<u64>(ps) * more_q16) >> 16);
}

}  // namespace heddle::oracle
