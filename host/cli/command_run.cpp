// `heddle run`: everything that can be refused is refused before anything is written.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "host/build.hpp"
#include "host/check/report.hpp"
#include "host/checkpoints.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/device.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/memory.hpp"
#include "host/cli/output_budget.hpp"
#include "host/cli/progress.hpp"
#include "host/cli/provenance.hpp"
#include "host/cli/ranks.hpp"
#include "host/cli/resume.hpp"
#include "host/cli/signals.hpp"
#include "host/cli/summary.hpp"
#include "host/config/units.hpp"
#include "host/error.hpp"
#include "host/simulation.hpp"
#include "io/checkpoint/slots.hpp"
#include "io/error.hpp"
#include "io/foreign/hpcc.hpp"
#include "io/results/losses.hpp"
#include "io/results/writer.hpp"
#include "kernels/base/hash.hpp"
#include "partition/cut/cut.hpp"

namespace heddle {
namespace {

std::string output_path_of(const RunArguments& arguments, const Config& config) {
  if (!arguments.output_path.empty()) return arguments.output_path;
  if (!config.output.file.empty()) return config.output.file;
  return std::filesystem::path(config.path).stem().string() + ".h5";
}

/// The text exports are small and written at the end: make sure now that they can be, and that no file of the run takes
/// another one's place.
void check_exports(const OutputOptions& output, const std::string& result_path, const std::string& config_path,
                   bool force) {
  struct Use {
    std::string path, what;
  };
  std::vector<Use> uses = {{config_path, "the configuration"}};
  for (const Use& use : {Use{result_path, "the result file"}, Use{output.fct_file, "output.fct_file"},
                         Use{output.pfc_file, "output.pfc_file"}}) {
    if (use.path.empty()) continue;
    for (const Use& other : uses) {
      if (std::filesystem::weakly_canonical(use.path) != std::filesystem::weakly_canonical(other.path)) continue;
      throw ConfigError(
          fmt::format("{} and {} are the same file, {}: one would overwrite the other; name them differently",
                      other.what, use.what, use.path));
    }
    uses.push_back(use);
  }
  if (!output.fct_file.empty()) check_writable(output.fct_file, force, "output.fct_file");
  if (!output.pfc_file.empty()) check_writable(output.pfc_file, force, "output.pfc_file");
}

void refuse_impossible(const Config& config, const World& world) {
  std::string text;
  for (const std::string& refusal : refusals_of(world))
    text += (text.empty() ? "" : "\n") + config.path + ": " + refusal;
  if (!text.empty()) throw ConfigError(text);
}

EngineOptions engine_options_of(const RunArguments& arguments, const Config& config, const World& world,
                                const Ranks& ranks) {
  EngineOptions options;
  options.device = choose_device(arguments.device, arguments.threads.has_value());
  options.local = ranks.here();
  options.threads = arguments.threads.value_or(1);
  options.check = arguments.check_invariants;
  if (!arguments.memory.empty()) {
    options.memory_limit_bytes = memory_of(arguments.memory);
  } else if (options.device == Device::cpu) {
    options.memory_limit_bytes = default_memory_bytes(ranks.ranks_here());  // a GPU looks at its own
  }
  if (ranks.exchange() != nullptr) {
    options.part = cut_world(world, config.partition.policy, ranks.ranks()).part(ranks.rank());
    options.part.words_on_device = options.device == Device::gpu && ranks.exchange()->reaches_device_memory();
  }
  return options;
}

/// SIGTERM saves where checkpoints are wanted; else, as Ctrl-C, it ends the run in order.
Wish wish_of(const StopSignals& signals, const Checkpoints& checkpoints) {
  if (signals.interrupted() || (signals.terminated() && !checkpoints.wanted())) return Wish::end;
  return signals.asked_to_save() || signals.terminated() ? Wish::save_and_leave : Wish::go_on;
}

void print_summary(const World& world, const SimulationResult& result, const std::string& status,
                   const std::string& path) {
  fmt::print("{}{}{}{}results    {}\n", collective_table(world, result.outcome), message_summary(world, result.outcome),
             totals_summary(result.outcome.totals), end_summary(result.outcome, status, result.perf), path);
  std::fflush(stdout);  // what went wrong comes last, also where both streams go to one log
  for (const std::string& error : configuration_errors(result.outcome.totals)) fmt::print(stderr, "\n{}\n", error);
}

void write_exports(const OutputOptions& output, const World& world, const SimulationResult& result) {
  if (!output.fct_file.empty()) write_hpcc_fct(output.fct_file, world, result.outcome);
  if (!output.pfc_file.empty()) write_hpcc_pfc(output.pfc_file, world, result.pfc_events);
}

std::string status_of(const SimulationResult& result) {
  if (result.interrupted) return "interrupted";
  return result.output_full ? "output_full" : std::string(status_name(result.outcome.reason));
}

/// The budget of the file is not the engine's: here its end is explained.
void explain_full_output(const OutputOptions& output, Outcome& outcome) {
  outcome.explanation = fmt::format(
      "the result file has reached output.max_bytes = {}, so the run was ended; lengthen output.series_interval{}, "
      "switch output.pfc_events or output.drop_events off, or raise output.max_bytes",
      format_quantity(static_cast<i64>(output.max_bytes), Quantity::bytes),
      output.link_series ? ", switch output.link_series off" : "");
}

int exit_code_of(const SimulationResult& result) {
  if (result.interrupted || result.output_full) return kExitNotComplete;
  switch (result.outcome.reason) {
    case EndReason::complete:
    case EndReason::horizon:
      return kExitComplete;
    case EndReason::stalled:
    case EndReason::deadlock:
    case EndReason::qp_failed:
      return kExitNotComplete;
    case EndReason::error:
      return kExitInternalError;
  }
  return kExitInternalError;
}

/// Everything that is made before a file is begun. All ranks make the same, but of the engine only their part.
struct Prepared {
  Prepared(const RunArguments& arguments, const Ranks& ranks)
      : config(load_config(arguments.config_path, arguments.sets)), path(output_path_of(arguments, config)) {
    if (ranks.first()) {  // it writes them
      check_exports(config.output, path, config.path, arguments.force);
      const bool goes_on = !arguments.resume.empty() && !std::filesystem::exists(path);  // then a .part may be there
      check_writable(path, arguments.force || goes_on);
    }
    world = build_world(config);
    refuse_impossible(config, world);
    if (ranks.first()) {
      for (const std::string& warning : warnings_of(world)) fmt::print(stderr, "warning: {}\n", warning);
    }
    check_output_budget(config.output, world);
    options = engine_options_of(arguments, config, world, ranks);
    provenance = provenance_of(config, world, options, arguments.command_line);
    provenance.ranks = ranks.ranks();
    checkpoint = find_checkpoint(arguments, path, identity_of(provenance), ranks.first());
    checkpoints =
        std::make_unique<Checkpoints>(config.checkpoint, config.output, path, identity_of(provenance), ranks.first());
  }

  Config config;
  std::string path;
  World world;
  EngineOptions options;
  Provenance provenance;
  std::unique_ptr<CheckpointReader> checkpoint;  // to go on from; null: from the start
  std::unique_ptr<Checkpoints> checkpoints;
  std::unique_ptr<Simulation> simulation;
};

/// Of all that has to be the same on every rank: program, configuration, topology, workload, checkpoint, and the cut
/// (METIS may cut otherwise with another C library).
u64 fingerprint(const Prepared& p) {
  u64 state = absorb(absorb(p.provenance.config_hash, p.provenance.topology_hash), p.provenance.workload_hash);
  for (const char c : version_text()) state = absorb(state, static_cast<unsigned char>(c));
  for (const u32 rank : p.options.part.rank_of_node) state = absorb(state, rank);
  return absorb(state, p.checkpoint ? static_cast<u64>(p.checkpoint->header().time_ps) : ~u64{0});
}

void refuse_different_ranks(const Prepared& p, const Ranks& ranks) {
  if (ranks.exchange() == nullptr) return;
  const u64 mine = fingerprint(p);
  const std::vector<std::vector<u64>> all = ranks.exchange()->gather({&mine, 1});
  const auto other = std::find_if(all.begin(), all.end(), [&](const auto& word) { return word != all[0]; });
  if (other == all.end()) return;
  if (!ranks.first()) throw SaidElsewhere();
  throw ConfigError(
      fmt::format("rank {} has another program, configuration, input file, checkpoint or division of the fabric than "
                  "rank 0, so they cannot "
                  "simulate one world; give all of them the same files and the same build",
                  other - all.begin()));
}

ResultSettings result_settings_of(const RunArguments& arguments, const Prepared& p) {
  ResultSettings settings;
  settings.provenance = p.provenance;
  settings.link_series = p.config.output.link_series;
  settings.series_interval_ps = p.config.output.series_interval_ps;
  settings.pfc_events = p.config.output.pfc_events;
  settings.max_bytes = p.config.output.max_bytes;
  settings.overwrite = arguments.force || !arguments.resume.empty();
  return settings;
}

/// What the first rank does when the run has ended.
void conclude_files(const Prepared& p, SimulationResult& result, ResultWriter& writer) {
  if (result.output_full) explain_full_output(p.config.output, result.outcome);
  const std::string status = status_of(result);
  writer.finish(result.outcome, result.perf, status);
  remove_checkpoints(p.path);
  write_exports(p.config.output, p.world, result);
  print_summary(p.world, result, status, p.path);
}

/// Other ranks wait for this one, so they are ended.
int failed(const std::exception& error, const ResultWriter* writer, const Ranks& ranks) {
  const std::string where = ranks.ranks() > 1 ? fmt::format(" on rank {}", ranks.rank()) : "";
  fmt::print(stderr, "error{}: {}\n", where, error.what());
  if (writer != nullptr) fmt::print(stderr, "what was written before is in {}\n", writer->part_path());
  if (ranks.ranks() > 1) ranks.abort(kExitInternalError);
  return kExitInternalError;
}

SimulationResult simulate(const RunArguments& arguments, Prepared& p, ResultWriter* writer, const Ranks& ranks,
                          const StopSignals& signals) {
  Progress progress(p.world.clocks.horizon_ps, arguments.quiet || !ranks.first());
  const auto observe = [&](TimePs now_ps, const Totals& totals) {
    progress.update(now_ps, totals.packet_hops);
    progress.warn(p.checkpoints->take_warning());
    return wish_of(signals, *p.checkpoints);
  };
  SimulationResult result = p.simulation->run(writer, observe, p.checkpoints.get());
  progress.finish();
  return result;
}

int run_prepared(const RunArguments& arguments, Prepared& p, ResultWriter* writer, const Ranks& ranks,
                 const StopSignals& signals) {
  try {
    SimulationResult result = simulate(arguments, p, writer, ranks, signals);
    if (writer == nullptr) return kExitComplete;  // the first rank gives the exit code
    if (result.saved) {
      fmt::print("checkpoint of {} written; the same command with --resume auto goes on\n", p.path);
      return kExitRequeue;
    }
    conclude_files(p, result, *writer);
    return exit_code_of(result);
  } catch (const CapacityError& error) {
    return failed(error, writer, ranks);
  } catch (const OutputError& error) {
    return failed(error, writer, ranks);
  } catch (const std::exception& error) {
    if (ranks.ranks() == 1) throw;
    return failed(error, writer, ranks);
  }
}

/// The result file, begun or gone on with.
std::unique_ptr<ResultWriter> make_writer(const RunArguments& arguments, const Prepared& p) {
  const ResultSettings settings = result_settings_of(arguments, p);
  if (p.checkpoint)
    return std::make_unique<ResultWriter>(p.path, p.world, settings, Checkpoints::result_words(*p.checkpoint));
  remove_checkpoints(p.path);
  return std::make_unique<ResultWriter>(p.path, p.world, settings);
}

}  // namespace

int command_run(const RunArguments& arguments) {
  const StopSignals signals;
  const Ranks ranks;
  std::unique_ptr<Prepared> prepared;
  std::unique_ptr<ResultWriter> writer;  // of the first rank
  ranks.together([&] { prepared = std::make_unique<Prepared>(arguments, ranks); });
  refuse_different_ranks(*prepared, ranks);
  ranks.together([&] {
    Prepared& p = *prepared;
    p.simulation = std::make_unique<Simulation>(p.world, p.options, p.config.output, ranks.exchange());
    if (p.checkpoint) p.simulation->load(*p.checkpoint, *p.checkpoints);
    if (ranks.first()) writer = make_writer(arguments, p);
  });
  // from here on a file has been begun: what fails is no longer bad input
  return run_prepared(arguments, *prepared, writer.get(), ranks, signals);
}

}  // namespace heddle
