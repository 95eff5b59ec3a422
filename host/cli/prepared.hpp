// Everything that `heddle run` makes, and can refuse, before a file is begun.
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

/// All ranks make the same, but of the engine only their part.
struct Prepared {
  /// Exchanges nothing. Throws ConfigError and IoError for what is refused, HasEnded when nothing is left to do.
  Prepared(const RunArguments& arguments, const Ranks& ranks);

  /// To all ranks the checkpoint that the first one has found and verified, of which each reads what it needs.
  void share_checkpoint(const Ranks& ranks);

  /// What has to be the same on every rank: program, configuration, input files, arguments, checkpoint, and the cut
  /// (METIS may cut otherwise with another C library).
  Given given(const RunArguments& arguments) const;
  /// How words travel between the engines, as partition.exchange says: all ranks agree.
  void choose_exchange(const Ranks& ranks);
  /// The engine, with the state of the checkpoint where there is one.
  void make_simulation();
  /// The result file, begun or gone on with; for the first rank. `begun` is called before it has its name.
  std::unique_ptr<ResultWriter> make_writer(const RunArguments& arguments, std::function<void()> begun) const;

  Config config;
  std::string path;
  std::unique_ptr<ResultLock> lock;           // of the first rank
  std::vector<std::string> replaced_exports;  // those that are there already
  World world;
  EngineOptions options;
  Provenance provenance;
  std::unique_ptr<CheckpointReader> checkpoint;  // to go on from; null: from the start
  std::unique_ptr<Checkpoints> checkpoints;
  std::unique_ptr<MeasuringController> controller;  // null: none measures
  ChosenExchange exchange;                          // of the engines; null: one rank
  std::unique_ptr<Simulation> simulation;

 private:
  void claim_place(const RunArguments& arguments);
};

}  // namespace heddle
