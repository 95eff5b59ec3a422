// The program of a GPU: streams of operations that repeat in every iteration (MODEL.md, 9.12), and the batches of
// messages that it hands over (9.14).
#pragma once

#include <array>
#include <vector>

#include "tests/oracle/simulation.hpp"

namespace heddle::oracle {

/// How often a rank may enter a collective of one communicator, and how often it has finished one. For composed
/// collectives: how many it has entered, and how many the program has waited for and ended.
struct Turns {
  u64 allowed = 0, finished = 0;
  u64 composed_entered = 0, composed_awaited = 0, composed_ended = 0;
};

class ProgramModel {
 public:
  ProgramModel(Simulation& sim, const ProgramRun& run, std::size_t communicators);

  /// Begins and ends what can begin and end at t; returns whether anything did.
  bool advance(TimePs t);
  Turns& turns(std::size_t communicator) { return turns_.at(communicator); }
  /// Whether a computation is running at t.
  bool computes(TimePs t) const;

 private:
  struct Running {
    std::size_t at = 0;  // operation of the stream
    bool begun = false;
    TimePs since_ps = 0, until_ps = 0;
    u64 target = 0;
  };

  const ProgramPlan& plan() const { return sim_.world.programs; }
  const Task& task() const { return plan().tasks[run_.task]; }
  const Op& op_of(std::size_t stream) const;
  bool all_done(std::size_t stream) const;
  bool takes_place_now(const Op& op) const { return takes_place(op, iteration_); }
  void hand_over(u32 series, TimePs t);
  u32 series_of(u32 batch) const;
  void begin_iteration(TimePs t);
  void end_iteration(TimePs t);
  void begin(std::size_t stream, TimePs t);
  void compute(TimePs from, TimePs until);
  void expose(std::size_t stream, TimePs t);
  void report(const Op& op, u8 group, TimePs took_ps, TimePs t);
  bool is_done(std::size_t stream, TimePs t) const;
  TimePs duration(u32 op_index) const;

  Simulation& sim_;
  ProgramRun run_;
  std::vector<Turns> turns_;
  u32 iteration_ = 0;
  std::vector<Running> streams_;               // empty: no iteration has begun
  TimePs compute_ps_ = 0, busy_until_ps_ = 0;  // earlier computations have ended by then
  std::vector<TimePs> waited_ps_;
  std::array<u32, kBatchSeries> handed_over_{}, known_ended_{};  // batches, by series
};

}  // namespace heddle::oracle
