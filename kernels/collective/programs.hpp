// The program of one GPU: streams of computations, collectives, delays and waits for each other (MODEL.md, 9.12).
#pragma once

#include "kernels/base/atomic.hpp"
#include "kernels/transport/nic_context.hpp"

namespace heddle {

template <class Team>
class ProgramSide {
 public:
  HEDDLE_FN explicit ProgramSide(const NicContext<Team>& context)
      : x_(context), k_(context.v.collective), p_(context.v.collective.programs) {}

  /// Whether the GPU is computing, once all operations that can run by now have run.
  HEDDLE_FN bool computes() const { return p_.tasks != 0 && plan().program != kNone && state().computing != 0; }

  /// Runs all operations possible at t. Returns whether a rank may enter, or has finished, a collective.
  HEDDLE_FN bool advance(TimePs t) {
    if (p_.tasks == 0 || plan().program == kNone || over()) return false;
    if (!state().begun) {
      const TimePs start = task().start_ps;
      if (start > t) {
        x_.look_at(start);
        return false;
      }
      begin_iteration(t);
    }
    bool released = false;
    while (!over() && advance_streams(t, released)) {
    }
    return released;
  }

 private:
  HEDDLE_FN const GpuProgram& plan() const { return p_.gpu[x_.e]; }
  HEDDLE_FN ProgramState& state() const { return p_.state[x_.e]; }
  HEDDLE_FN const Task& task() const { return p_.task[plan().task]; }
  HEDDLE_FN bool over() const { return state().iteration == task().iterations; }
  HEDDLE_FN StreamState& stream(u32 s) const { return p_.stream[plan().first_stream + s]; }
  HEDDLE_FN const OpStream& ops_of(u32 s) const { return p_.op_stream[p_.program[plan().program].first_stream + s]; }
  HEDDLE_FN Member& member(u32 communicator) const { return k_.member[p_.member[plan().first_member + communicator]]; }
  HEDDLE_FN IterationOutcome& log() const { return p_.log[p_.first_iteration[plan().task] + state().iteration]; }

  /// Advances every stream as far as possible. Returns whether any stream advanced.
  HEDDLE_FN bool advance_streams(TimePs t, bool& released) {
    const u32 streams = p_.program[plan().program].streams;
    bool moved = false, all_done = true;
    for (u32 s = 0; s < streams; ++s) {
      StreamState& at = stream(s);
      const OpStream& ops = ops_of(s);
      while (at.done != ops.ops && advance_op(at, ops.first_op + at.done, t, released)) {
        ++at.done;
        at.begun = false;
        moved = true;
      }
      all_done = all_done && at.done == ops.ops;
    }
    if (!all_done) return moved;
    end_iteration(t);
    if (!over()) begin_iteration(t);
    return true;
  }

  /// Begins the stream's current operation unless it has begun; returns whether the operation is done.
  HEDDLE_FN bool advance_op(StreamState& at, u32 index, TimePs t, bool& released) {
    const Op op = p_.op[index];
    const bool begins = !at.begun;
    at.begun = true;
    switch (op.kind) {
      case OpKind::compute:
        if (begins) {
          const TimePs takes = duration_ps(op, index);
          if (takes == 0) return true;
          at.when_ps = t + takes;
          begin_computing(at, t);
        }
        if (at.when_ps > t) {
          x_.look_at(at.when_ps);
          return false;
        }
        end_computing(t);
        if (reports()) report(kNoGroup, duration_ps(op, index), index, t);
        return true;
      case OpKind::delay:
        if (!takes_place(op, state().iteration)) return true;
        if (begins) at.when_ps = t + op.ps;
        if (at.when_ps <= t) return true;
        x_.look_at(at.when_ps);
        return false;
      case OpKind::collective:
        if (begins) {
          at.target = ++member(op.n).released;
          released = true;
        }
        return member(op.n).current >= at.target;
      case OpKind::entered:
        if (begins) at.target = ++member(op.n).composed_awaited;
        return member(op.n).composed_entered >= at.target;
      case OpKind::finish:
        ++member(op.n).composed_ended;
        released = true;
        return true;
      case OpKind::wait:
        if (begins) at.when_ps = t;
        if (stream(op.stream).done < op.n) return false;
        if (op.group != kNoGroup && state().computing == 0) count_wait(op, index, at, t);
        return true;
      case OpKind::post:
        if (any_batches<Team>(x_.settings()) && takes_place(op, state().iteration)) hand_over_batch(op.stream, t);
        return true;
      case OpKind::written:
        return !any_batches<Team>(x_.settings()) || !takes_place(op, state().iteration) ||
               state().ended[op.stream] == state().posted[op.stream];
    }
    return true;
  }

  HEDDLE_FN void hand_over_batch(u32 series, TimePs t) const {
    const TimePs due = t + p_.handover_ps;
    global_store(p_.handed_ps[plan().series[series].first + state().posted[series]++], due);
    x_.note_batch(plan().helper, due);
  }

  /// Calls f(stream, operation, its number) for every wait in progress that names a group.
  template <class F>
  HEDDLE_FN void for_each_counted_wait(const F& f) const {
    const u32 streams = p_.program[plan().program].streams;
    for (u32 s = 0; s < streams; ++s) {
      StreamState& at = stream(s);
      const OpStream& ops = ops_of(s);
      if (!at.begun || at.done == ops.ops) continue;
      const u32 index = ops.first_op + at.done;
      const Op& op = p_.op[index];
      if (op.kind == OpKind::wait && op.group != kNoGroup) f(at, op, index);
    }
  }

  HEDDLE_FN void count_wait(const Op& op, u32 index, const StreamState& at, TimePs t) const {
    state().waited_ps[op.group] += t - at.when_ps;
    if (reports()) report(op.group, t - at.when_ps, index, t);
  }

  /// Concurrent computations count once, and waits that overlap a computation are not exposed.
  HEDDLE_FN void begin_computing(const StreamState& begun, TimePs t) const {
    TimePs busy_until = t;
    if (state().computing != 0) {
      const u32 streams = p_.program[plan().program].streams;
      for (u32 s = 0; s < streams; ++s) {
        const StreamState& at = stream(s);
        const OpStream& ops = ops_of(s);
        if (&at == &begun || !at.begun || at.done == ops.ops) continue;
        if (p_.op[ops.first_op + at.done].kind == OpKind::compute && at.when_ps > busy_until) busy_until = at.when_ps;
      }
    } else {
      for_each_counted_wait([&](StreamState& at, const Op& op, u32 index) { count_wait(op, index, at, t); });
    }
    if (begun.when_ps > busy_until) state().compute_ps += begun.when_ps - busy_until;
    ++state().computing;
  }

  /// Waits become exposed from t on, unless another computation is running.
  HEDDLE_FN void end_computing(TimePs t) const {
    if (--state().computing != 0) return;
    for_each_counted_wait([&](StreamState& at, const Op&, u32) { at.when_ps = t; });
  }

  /// Duration of a computation in this iteration.
  HEDDLE_FN TimePs duration_ps(const Op& op, u32 index) const {
    const u64 draw = hash32(x_.settings().seed, Stream::compute, x_.id(), (u64{state().iteration} << 32) | index);
    const u32 by_chance_q16 = static_cast<u32>((draw * task().jitter_q16) >> 32);
    return stretched_ps(op.ps, plan().slower_q16 + by_chance_q16);
  }

  /// Whether the times of this GPU are recorded or traced.
  HEDDLE_FN bool reports() const {
    const bool recorded = ((x_.settings().recorded_kinds >> static_cast<u32>(EventKind::gpu_time)) & 1) != 0;
    return recorded || x_.settings().trace;
  }

  /// Records GPU activity that ended at t; skips activity that took no time.
  HEDDLE_FN void report(u8 group, TimePs took_ps, u32 index, TimePs t) const {
    if (took_ps == 0) return;
    Event event = x_.event(EventKind::gpu_time, t, static_cast<u64>(took_ps), group);
    event.detail = index;
    x_.team_emit(event);
  }

  HEDDLE_FN void begin_iteration(TimePs t) const {
    state().begun = true;
    state().compute_ps = 0;
    for (TimePs& waited : state().waited_ps) waited = 0;
    for (u32 s = 0; s < p_.program[plan().program].streams; ++s) stream(s) = StreamState{};
    global_min(log().first_begin_ps, t);
    global_max(log().last_begin_ps, t);
  }

  HEDDLE_FN void end_iteration(TimePs t) const {
    IterationOutcome& sums = log();
    global_min(sums.first_end_ps, t);
    global_max(sums.last_end_ps, t);
    global_add(sums.gpus_ended, 1);
    global_add(sums.compute_ps, static_cast<u64>(state().compute_ps));
    global_max(sums.max_compute_ps, state().compute_ps);
    for (u32 g = 0; g < kGroups; ++g) {
      global_add(sums.waited_ps[g], static_cast<u64>(state().waited_ps[g]));
      global_max(sums.max_waited_ps[g], state().waited_ps[g]);
    }
    x_.team_emit(x_.event(EventKind::iteration_ended, t, (u64{plan().task} << 32) | state().iteration));
    x_.team.add(x_.team.tally().iterations_ended, u64{1});
    x_.completed(t);
    ++state().iteration;
  }

  const NicContext<Team>& x_;
  const Collectives& k_;
  const Programs& p_;
};

}  // namespace heddle
