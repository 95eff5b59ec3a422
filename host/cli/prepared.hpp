// Everything that `heddle run` builds, and can refuse, before it creates a file.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "host/cli/agreement.hpp"
#include "host/cli/arguments.hpp"
#include "host/cli/ranks.hpp"
#include "host/config/config.hpp"
#include "host/run/checkpoints.hpp"
#include "host/run/simulation.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/controller/measured.hpp"
#include "io/results/result_lock.hpp"
#include "io/results/writer.hpp"
#include "partition/exchange/chosen_exchange.hpp"

namespace heddle {

/// All ranks build the same, except that each has only its part of the engine.
struct Prepared {
  /// Exchanges no messages. Throws ConfigError and IoError for what is refused, HasEnded when nothing is left to do.
  Prepared(const RunArguments& arguments, const Ranks& ranks);

  /// Shares the checkpoint that the first rank has found and verified with all ranks; each reads what it needs.
  void share_checkpoint(const Ranks& ranks);

  /// Values that must be the same on every rank: program, configuration, input files, arguments, checkpoint, and the
  /// cut (METIS may cut differently with another C library).
  Given given(const RunArguments& arguments) const;
  /// Chooses how messages travel between the engines (partition.exchange); all ranks choose the same.
  void choose_exchange(const Ranks& ranks);
  /// Creates the engine, with the state of the checkpoint if there is one.
  void make_simulation();
  /// Creates or resumes the result file, on the first rank. `begun` is called before the file has its name.
  std::unique_ptr<ResultWriter> make_writer(const RunArguments& arguments, std::function<void()> begun) const;
  /// The plans that travelled over a network so far; empty: none did.
  std::vector<PlanRow> plans() const;

  Config config;
  std::string path;
  std::unique_ptr<ResultLock> lock;           // held by the first rank
  std::vector<std::string> replaced_exports;  // exports that exist already
  World world;
  EngineOptions options;
  Provenance provenance;
  std::unique_ptr<CheckpointReader> checkpoint;  // the checkpoint to resume from; null: start anew
  std::unique_ptr<Checkpoints> checkpoints;
  std::unique_ptr<MeasuringController> controller;  // null: no controller measures
  ChosenExchange exchange;                          // the exchange between the engines; null: one rank
  std::unique_ptr<Simulation> simulation;

 private:
  void claim_place(const RunArguments& arguments);
};

}  // namespace heddle
