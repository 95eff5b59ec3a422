#include "host/cli/conclude.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>

#include "host/check/collective_text.hpp"
#include "host/cli/ends.hpp"
#include "host/cli/output_place.hpp"
#include "host/cli/summary.hpp"
#include "host/cli/tell.hpp"
#include "io/checkpoint/slots.hpp"
#include "io/durable.hpp"
#include "io/error.hpp"
#include "io/formats/hpcc.hpp"
#include "io/results/losses.hpp"
#include "io/units.hpp"

namespace heddle {
namespace {

/// Explains the end at the file's size limit, which the engine does not know.
void explain_full_output(const OutputOptions& output, Outcome& outcome) {
  outcome.explanation = fmt::format(
      "the result file has reached output.max_bytes = {}, so the run was ended; raise output.max_bytes, with which the "
      "run can resume from a checkpoint (--resume auto), or run it anew with a longer output.series_interval{}, or "
      "output.pfc_events or output.drop_events off",
      format_quantity(static_cast<i64>(output.max_bytes), Quantity::bytes),
      output.link_series ? ", output.link_series off" : "");
}

/// Writes a temporary file beside the path first, so that a full disk leaves no partial export.
void write_export(const Prepared& p, const std::string& path, const std::function<void(const std::string&)>& write) {
  const std::string temporary = new_file_beside(path);
  if (temporary.empty())
    throw OutputError(fmt::format("cannot make a file beside '{}': {}", path, std::strerror(errno)));
  const bool replaces = std::ranges::find(p.replaced_exports, path) != p.replaced_exports.end();
  try {
    write(temporary);
    const int status = replaces ? rename_durably(temporary, path) : rename_to_free_name(temporary, path);
    if (status == EEXIST)
      throw OutputError(
          fmt::format("a file has come to the name '{}' while the run went on, and it is not replaced", path));
    if (status != 0)
      throw OutputError(fmt::format("cannot flush or rename '{}': {}", temporary, std::strerror(status)));
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

void write_exports(const Prepared& p, const SimulationResult& result, const ResultWriter& writer) {
  const OutputOptions output = placed_output(p.config);
  try {
    if (!output.fct_file.empty())
      write_export(p, output.fct_file, [&](const auto& path) { write_hpcc_fct(path, p.world, result.outcome); });
    if (!output.pfc_file.empty())
      write_export(p, output.pfc_file, [&](const auto& path) { write_hpcc_pfc(path, p.world, result.pfc_events); });
  } catch (const OutputError& error) {
    throw OutputError(
        fmt::format("{}\nthe results themselves are whole, but still in '{}', so that the run can be resumed; "
                    "without that export, rename it to '{}' by hand",
                    error.what(), writer.part_path(), p.path));
  }
}

bool has_checkpoint(const Prepared& p) { return std::ranges::any_of(checkpoint_paths(p.path), is_there); }

/// Advice for a run that can be resumed.
std::string how_to_resume(const Prepared& p) {
  if (has_checkpoint(p)) {
    return fmt::format("the checkpoints of {} are kept: the same command with --resume auto resumes from the newest\n",
                       p.path);
  }
  return fmt::format(
      "there is no checkpoint: with --resume auto the same command runs it anew and then replaces {} "
      "(--set 'checkpoint.every_wall=\"600 s\"' keeps some)\n",
      p.path);
}

void print_summary(const Prepared& p, const SimulationResult& result, const std::string& status,
                   const std::string& advice) {
  const World& world = p.world;
  const std::string& path = p.path;
  tell(stdout, "{}{}{}{}{}{}{}{}{}results    {}\n{}", collective_table(world, result.outcome),
       training_summary(world, result.outcome), unfinished_steps(p.config, world, result.outcome),
       near_ties_text(world, p.config.jobs), message_summary(world, result.outcome),
       totals_summary(world, result.outcome.totals), plan_summary(p.plans()),
       link_highlights(world, result.outcome, path), end_summary(result.outcome, status, result.perf), path, advice);
  std::fflush(stdout);  // errors come last, even where both streams go to one log
  for (const std::string& error : configuration_errors(result.outcome.totals)) tell(stderr, "\n{}\n", error);
}

}  // namespace

int conclude(const Prepared& p, SimulationResult& result, ResultWriter& writer) {
  if (result.output_full) explain_full_output(p.config.output, result.outcome);
  const std::string status = status_of(result);
  if (result.outcome.reason == EndReason::horizon || result.outcome.reason == EndReason::stalled) {
    const std::string unfinished = unfinished_text(p.world, result.outcome);
    if (!unfinished.empty()) result.outcome.explanation += ". " + unfinished;
  }
  writer.close(result.outcome, result.perf, status);
  write_exports(p, result, writer);
  writer.publish();
  if (is_final(status)) remove_checkpoints(p.path);
  print_summary(p, result, status, is_final(status) ? "" : how_to_resume(p));
  return exit_code_of(status);
}

std::string what_is_left(const Prepared& p, const ResultWriter& writer) {
  std::string text = fmt::format("what was written before is in {}\n", writer.part_path());
  if (has_checkpoint(p)) {
    text +=
        "its checkpoints are as they were: once that is mended, the same command with --resume auto resumes (room is "
        "needed for three of them, as the new one is written before the oldest is removed)\n";
  }
  return text;
}

}  // namespace heddle
