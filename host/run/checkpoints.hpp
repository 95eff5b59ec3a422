// Checkpoints of a run: when they are written, what they hold, and how a run goes on from one.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "host/config/options.hpp"
#include "host/run/completed.hpp"
#include "host/run/saving_cost.hpp"
#include "io/checkpoint/header.hpp"
#include "io/checkpoint/reader.hpp"
#include "io/results/provenance.hpp"
#include "io/results/run_identity.hpp"
#include "partition/exchange/ranked_engine.hpp"

namespace heddle {

class MeasuringController;
class ResultWriter;

/// What the loop around the engine keeps from step to step, beside the engine and the result file.
struct LoopState {
  TimePs next_series_ps = kNever;
  u64 state_digest = 0;           // of the engine then
  std::vector<Event> pfc_events;  // kept for output.pfc_file
  RunHistory history;             // up to then
  std::vector<u64> controller;    // MeasuringController::words(); empty: none measures
};

/// Two checkpoints of one run, written in turn beside its result file (io/checkpoint).
class Checkpoints {
 public:
  /// `gone_on_from`: the checkpoint that the run goes on from, or none. `first`: this rank writes. `options` must
  /// outlive it.
  Checkpoints(const CheckpointOptions& options, const OutputOptions& output, std::string result_path, RunIdentity run,
              std::string gone_on_from, bool first);

  /// Simulated time of the next one, after `now_ps`; kNever: none. A fixed grid, so that a run that goes on saves where
  /// it would have.
  TimePs next_ps(TimePs now_ps) const;
  /// So much wall time has gone by since the last one.
  bool due_by_wall() const;
  /// Whether SIGTERM is to save, too: somebody wants checkpoints.
  bool wanted() const { return options_.every_ps > 0 || options_.every_wall_ps > 0; }

  /// Every rank calls it; the first one writes. When the checkpoint cannot be written (a full disk), the one before is
  /// intact: throws OutputError if the run is to be left with this one (`must`), else it is for take_warning(). Throws
  /// OutputError when the result file cannot be written.
  void save(RankedEngine& engine, const ResultWriter* writer, const LoopState& loop, const Completed& completed,
            bool must);

  /// What there is to say, once each: that no checkpoint can be written, until one could again; that checkpoints take
  /// too much of this process run's time, and what to set (saving_warning). Else "".
  std::string take_warning();

  /// Those that this run has written, in the process runs before, too.
  const std::vector<SavedCheckpoint>& saved() const { return saved_; }

  /// Into an engine that has not been advanced. Exchanges nothing. Throws InputError when the file's content does not
  /// fit, ConfigError when [output] has changed, CapacityError when the memory does not suffice.
  LoopState load(const CheckpointReader& file, RankedEngine& engine, Completed& completed);

  /// The words of the result file (ResultWriter).
  static std::vector<u64> result_words(const CheckpointReader& file);
  /// Takes what the file says of it. Throws InputError when it does not fit.
  static void load(const CheckpointReader& file, MeasuringController& controller);

 private:
  void take_note_of(const std::string& problem, bool must);

  using Clock = std::chrono::steady_clock;

  const CheckpointOptions& options_;
  u64 output_hash_;  // of what decides what is in the result file
  std::string result_path_;
  RunIdentity run_;
  std::string whole_path_;  // the newest that is known to be whole
  bool first_;
  Clock::time_point begun_ = Clock::now(), saved_at_ = begun_;
  SavingCost cost_;
  bool warned_ = false;   // of the cost
  bool failing_ = false;  // the last one could not be written
  std::vector<SavedCheckpoint> saved_;
  std::string problem_;  // of which nobody has been told yet
};

}  // namespace heddle
