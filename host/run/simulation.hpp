// The loop around the engine: advance to the next instant of the series, observe, write.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "host/run/checkpoints.hpp"
#include "host/run/completed.hpp"
#include "io/results/provenance.hpp"
#include "partition/exchange/exchange.hpp"
#include "partition/exchange/ranked_engine.hpp"

namespace heddle {

struct OutputOptions;

class MeasuringController;
class ResultWriter;

struct SimulationResult {
  Outcome outcome;
  Perf perf;  // wall_s is the whole loop, of all process runs; phases: advance (engine), observe (series, events)
  bool interrupted = false;
  bool saved = false;             // a checkpoint was written and the run left: there is no outcome
  bool output_full = false;       // the result file has reached its budget: the run was ended there
  std::vector<Event> pfc_events;  // kept only when OutputOptions::pfc_file asks for them
};

/// What to do with the run; the least value over all ranks counts.
enum class Wish : u8 { end = 0, save_and_leave = 1, go_on = 2 };

/// Called after every step with the simulated time and the totals so far.
using Observer = std::function<Wish(TimePs now_ps, const Totals& totals)>;

/// One run of a world. The world and the options must outlive it.
class Simulation {
 public:
  /// Builds the engine's state, so that all refusals come before a file is created. With an exchange, every rank makes
  /// one for its part and calls it in the same way; null: there are no ranks. A controller changes the routes of its
  /// World, which is this one, during the run; null: there is none. Throws std::invalid_argument as Engine does.
  Simulation(const World& world, const EngineOptions& engine_options, const OutputOptions& output,
             Exchange* exchange = nullptr, MeasuringController* controller = nullptr);

  /// Loads the state of a checkpoint; to be called before run(). Exchanges no messages. Throws as Checkpoints::load.
  void load(const CheckpointReader& file, Checkpoints& checkpoints);

  /// Simulates to the end, the horizon, or until `observer` of some rank wishes otherwise; call it once. `writer` may
  /// be null (no file, or another rank writes it). Observation never changes a result. Messages, events and warnings of
  /// the outcome come to rank 0 alone, so only it can write. Throws OutputError of the writer. `checkpoints` null: none
  /// are written.
  SimulationResult run(ResultWriter* writer, const Observer& observer, Checkpoints* checkpoints = nullptr);

  /// Valid at rank 0 alone.
  const Completed& completed() const { return completed_; }
  /// Memory of all ranks, each of which must call this.
  u64 memory_bytes() const { return engine_.memory_bytes(); }

 private:
  bool advance();
  void let_controller_solve();
  Wish agreed(Wish wish, bool output_full, bool save);
  void check_loaded();
  RunHistory history() const;
  Perf perf() const;
  void observe_series(TimePs time_ps);
  void observe_idle_time();
  TimePs next_solution_ps() const;
  void end_series(TimePs end_ps);
  void take_events();
  bool series_wanted() const;

  const OutputOptions& output_;
  RankedEngine engine_;
  MeasuringController* controller_;  // null: no controller measures
  Completed completed_;
  std::vector<LinkCounters> counters_;  // [link], reused; complete at rank 0 alone
  ResultWriter* writer_ = nullptr;
  bool recording_ = false;      // some rank writes
  TimePs step_ps_ = 1'000'000;  // simulated time per engine call, so that Ctrl-C is checked several times a second
  LoopState loop_;
  bool loaded_ = false;
  RunHistory earlier_;     // process runs before this one
  bool save_now_ = false;  // requested by the clock of some rank
  TimePs next_checkpoint_ps_ = kNever;
  std::chrono::steady_clock::time_point start_;  // start of this process run
  double advance_wall_s_ = 0;                    // time in the engine since then
  SimulationResult result_;
};

}  // namespace heddle
