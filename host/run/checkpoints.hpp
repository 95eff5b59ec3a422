// Checkpoints of a run: when they are written, what they hold, and how a run resumes from one.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "host/run/completed.hpp"
#include "host/run/saving_cost.hpp"
#include "io/checkpoint/header.hpp"
#include "io/checkpoint/reader.hpp"
#include "io/results/provenance.hpp"
#include "io/results/run_identity.hpp"
#include "partition/exchange/ranked_engine.hpp"

namespace heddle {

struct CheckpointOptions;
struct OutputOptions;

class MeasuringController;
class ResultWriter;

/// The state of the loop around the engine from step to step, beside the engine and the result file.
struct LoopState {
  TimePs next_series_ps = kNever;
  u64 state_digest = 0;           // digest of the engine's state then
  std::vector<Event> pfc_events;  // kept for output.pfc_file
  RunHistory history;             // up to then
  std::vector<u64> controller;    // MeasuringController::words(); empty: no controller measures
};

/// Two checkpoints of one run, written in turn beside its result file (io/checkpoint).
class Checkpoints {
 public:
  /// `resumed_from`: the checkpoint that the run resumes from, or none. `first`: this rank writes. `options` must
  /// outlive the object.
  Checkpoints(const CheckpointOptions& options, const OutputOptions& output, std::string result_path, RunIdentity run,
              std::string resumed_from, bool first);

  /// Simulated time of the next checkpoint, after `now_ps`; kNever: none. The grid is fixed, so that a resumed run
  /// saves at the same times.
  TimePs next_ps(TimePs now_ps) const;
  /// Whether the interval in wall time since the last checkpoint is over.
  bool due_by_wall() const;
  /// Whether SIGTERM is to save, too: somebody wants checkpoints.
  bool wanted() const;

  /// To be called by every rank; the first one writes. When the checkpoint cannot be written (a full disk), the
  /// previous one is intact: throws OutputError if the run is to end with this one (`must`), else keeps the reason for
  /// take_warning(). Throws OutputError when the result file cannot be written.
  void save(RankedEngine& engine, const ResultWriter* writer, const LoopState& loop, const Completed& completed,
            bool must);

  /// New warnings, once each: that no checkpoint can be written, until one could again; that checkpoints take too much
  /// of this process run's time, and what to set (saving_warning). Else "".
  std::string take_warning();

  /// The checkpoints that this run has written, including those of earlier process runs.
  const std::vector<SavedCheckpoint>& saved() const { return saved_; }

  /// Loads into an engine that has not been advanced. Exchanges nothing. Throws InputError when the file's content does
  /// not fit, ConfigError when [output] has changed, CapacityError when the memory does not suffice.
  LoopState load(const CheckpointReader& file, RankedEngine& engine, Completed& completed);

  /// The words of the result file (ResultWriter).
  static std::vector<u64> result_words(const CheckpointReader& file);
  /// Loads the state of the controller. Throws InputError when it does not fit.
  static void load(const CheckpointReader& file, MeasuringController& controller);

 private:
  void take_note_of(const std::string& problem, bool must);

  using Clock = std::chrono::steady_clock;

  const CheckpointOptions& options_;
  u64 output_hash_;  // hash of the settings that decide what is in the result file
  std::string result_path_;
  RunIdentity run_;
  std::string whole_path_;  // the newest checkpoint known to be complete
  bool first_;
  Clock::time_point begun_ = Clock::now(), saved_at_ = begun_;
  SavingCost cost_;
  bool warned_ = false;   // the cost of checkpoints was warned of
  bool failing_ = false;  // the last checkpoint could not be written
  std::vector<SavedCheckpoint> saved_;
  std::string problem_;  // a problem not yet reported
};

}  // namespace heddle
