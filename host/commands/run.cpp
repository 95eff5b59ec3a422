// `heddle run`: everything that can be refused is refused before anything is written (prepared), then it is simulated,
// then the files get their names (conclude).
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "host/check/estimates/cost.hpp"
#include "host/cli/agreement.hpp"
#include "host/cli/conclude.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/machine_fault.hpp"
#include "host/cli/prepared.hpp"
#include "host/cli/progress.hpp"
#include "host/cli/resume.hpp"
#include "host/cli/setup_watch.hpp"
#include "host/cli/signals.hpp"
#include "host/cli/start_line.hpp"
#include "host/cli/tell.hpp"
#include "host/commands/commands.hpp"
#include "io/results/output_path.hpp"

namespace heddle {
namespace {

/// Ctrl-C and SIGTERM save where the run is to be resumed, with a [checkpoint] or --resume; else they end the run in
/// order.
Wish wish_of(const StopSignals& signals, bool going_on_wanted) {
  const bool stopped = signals.interrupted() || signals.terminated();
  if (stopped && !going_on_wanted) return Wish::end;
  return stopped || signals.asked_to_save() ? Wish::save_and_leave : Wish::go_on;
}

SimulationResult simulate(const RunArguments& arguments, Prepared& p, ResultWriter* writer, const Ranks& ranks,
                          const StopSignals& signals) {
  const Cost cost = estimate_cost(p.world);
  const u64 memory_bytes = p.simulation->memory_bytes();  // all ranks must call this
  const bool quiet = arguments.quiet || !ranks.first();
  if (!quiet)
    tell(stderr, "{}\n", start_line(p.world, p.options, {ranks.ranks(), p.exchange.text}, memory_bytes, cost));
  Progress progress(p.world, cost.packet_hops, quiet, p.lock.get());
  const bool going_on_wanted = p.checkpoints->wanted() || !arguments.resume.empty();
  const auto observe = [&](TimePs now_ps, const Totals& totals) {
    progress.update(now_ps, totals.packet_hops, p.simulation->completed());
    progress.warn(p.checkpoints->take_warning());
    return wish_of(signals, going_on_wanted);
  };
  SimulationResult result = p.simulation->run(writer, observe, p.checkpoints.get());
  progress.finish();
  progress.warn(p.checkpoints->take_warning());
  return result;
}

/// Prints the error and ends the other ranks, which wait for this one.
int failed(const std::exception& error, const Prepared& p, const ResultWriter* writer, const Ranks& ranks) {
  const std::string where = ranks.ranks() > 1 ? fmt::format(" on rank {}", ranks.rank()) : "";
  tell(stderr, "error{}: {}\n{}", where, error.what(), writer == nullptr ? "" : what_is_left(p, *writer));
  if (ranks.ranks() > 1) ranks.abort(kExitInternalError);
  return kExitInternalError;
}

int run_prepared(const RunArguments& arguments, Prepared& p, ResultWriter* writer, const Ranks& ranks,
                 const StopSignals& signals) {
  try {
    SimulationResult result = simulate(arguments, p, writer, ranks, signals);
    if (writer == nullptr) return kExitComplete;  // the first rank gives the exit code
    if (result.saved) {
      tell(stdout, "checkpoint of {} written; the same command with --resume auto resumes\n", p.path);
      return kExitRequeue;
    }
    return conclude(p, result, *writer);
  } catch (const CapacityError& error) {
    return failed(error, p, writer, ranks);
  } catch (const OutputError& error) {
    return failed(error, p, writer, ranks);
  } catch (const std::exception& error) {
    if (ranks.ranks() == 1) throw;
    return failed(error, p, writer, ranks);
  }
}

/// Creates the result file. Whether it can be written was checked before, so an error now is the machine's fault.
std::unique_ptr<ResultWriter> begun_writer(const RunArguments& arguments, const Prepared& p,
                                           const StopSignals& signals) {
  if (p.checkpoint) check_continuable(p.path, true);
  try {
    return p.make_writer(arguments, [&] { signals.set_up_is_over(); });
  } catch (const OutputError& error) {
    throw MachineFault(error.what());
  }
}

int run(const RunArguments& arguments, const Ranks& ranks, const StopSignals& signals) {
  std::optional<SetupWatch> watch(std::in_place, arguments.quiet || !ranks.first());
  std::unique_ptr<Prepared> prepared;
  std::unique_ptr<ResultWriter> writer;  // on the first rank
  ranks.together([&] { prepared = std::make_unique<Prepared>(arguments, ranks); });
  prepared->share_checkpoint(ranks);
  refuse_different_ranks(prepared->given(arguments), ranks);
  prepared->choose_exchange(ranks);
  ranks.together([&] { prepared->make_simulation(); });
  if (!ranks.first()) signals.set_up_is_over();
  ranks.together([&] {
    if (ranks.first()) writer = begun_writer(arguments, *prepared, signals);
  });
  watch.reset();
  // a file has been created: later errors are no longer bad input
  return run_prepared(arguments, *prepared, writer.get(), ranks, signals);
}

}  // namespace

int command_run(const RunArguments& arguments) {
  const StopSignals signals(AtFirst::end_now);
  const Ranks ranks;
  try {
    ranks.agree_on("run");
    return run(arguments, ranks, signals);
  } catch (const HasEnded& ended) {
    tell(stdout, "{}\n", ended.message);
    return ended.exit_code;
  }
}

}  // namespace heddle
