#include "host/cli/resume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "host/base/error.hpp"
#include "host/cli/ends.hpp"
#include "host/cli/tell.hpp"
#include "io/checkpoint/slots.hpp"
#include "io/durable.hpp"
#include "io/error.hpp"
#include "io/results/config_diff.hpp"
#include "io/results/reader.hpp"
#include "io/units.hpp"

namespace heddle {
namespace {

bool has_checkpoint(const std::string& result_path) {
  return std::ranges::any_of(checkpoint_paths(result_path), is_there);
}

RunSummary summary_of(const std::string& result_path) {
  try {
    return read_summary(result_path);
  } catch (const InputError& error) {
    throw ConfigError(
        fmt::format("'{}' is there already, and whether this run may replace it cannot be said: {}\nremove it, replace "
                    "it with --force, or choose another path with -o",
                    result_path, error.what()));
  }
}

/// The keys of [output] that affect the files of a run and differ.
std::string other_output(const std::string& earlier_toml, const std::string& config_toml, const std::string& where) {
  std::string text;
  const std::array configs = {flatten_toml(earlier_toml, where), flatten_toml(config_toml, "the configuration")};
  for (const ConfigDifference& difference : differences(configs)) {
    const bool decides = difference.key.rfind("output.", 0) == 0 && difference.key != "output.file" &&
                         difference.key != "output.max_bytes" && difference.key != "output.title";
    if (decides) text += fmt::format("\n  {}: {}, now {}", difference.key, difference.values[0], difference.values[1]);
  }
  return text;
}

/// Without checkpoints a run starts anew; then it may replace only a .part of the same run.
void refuse_to_lose_rows(const std::string& result_path, const RunIdentity& run) {
  const std::string part_path = result_path + ".part";
  if (has_checkpoint(result_path) || !is_there(part_path)) return;
  std::string why;
  try {
    why = difference(identity_of(read_summary(part_path).provenance), run);
  } catch (const InputError&) {
    return;  // killed in its first milliseconds: the file is empty
  }
  if (why.empty()) return;
  throw ConfigError(
      fmt::format("'{}' holds what another run has written, which was killed or still goes on: {}; replace it with "
                  "--force, or choose another path with -o",
                  part_path, why));
}

std::unique_ptr<CheckpointReader> named(const std::string& path, const RunIdentity& run) {
  auto reader = std::make_unique<CheckpointReader>(path);
  const std::string why_not = difference(reader->header().run, run);
  if (!why_not.empty()) throw ConfigError(fmt::format("{}: {}", path, why_not));
  return reader;
}

std::unique_ptr<CheckpointReader> newest(const std::string& result_path, const RunIdentity& run) {
  NewestCheckpoint found = newest_checkpoint(result_path, run);
  std::string reasons;
  for (const std::string& reason : found.passed_over) reasons += "\n  " + reason;
  if (!found.reader && !reasons.empty()) {
    throw ConfigError(
        fmt::format("there are checkpoints of {}, but the run cannot resume from any of them:{}\nmend what they say, "
                    "or remove them to start anew",
                    result_path, reasons));
  }
  if (!reasons.empty()) tell(stderr, "warning: passed over:{}\n", reasons);
  if (!found.reader) tell(stderr, "there is no checkpoint of {} yet: the run starts anew\n", result_path);
  return std::move(found.reader);
}

}  // namespace

bool has_left_something(const std::string& result_path) {
  if (has_checkpoint(result_path) || is_there(result_path + ".part")) return true;
  return is_there(result_path) && !is_final(summary_of(result_path).status);
}

void refuse_missing_checkpoint(const RunArguments& arguments) {
  if (arguments.resume.empty() || arguments.resume == "auto" || is_there(arguments.resume)) return;
  throw ConfigError(
      fmt::format("--resume {}: there is no such checkpoint; give auto, for the newest of the result file, or the name "
                  "of one, which is RESULT.checkpoint_0 or RESULT.checkpoint_1",
                  arguments.resume));
}

void refuse_to_lose_checkpoints(const std::string& result_path) {
  for (const std::string& path : checkpoint_paths(result_path)) {
    if (!is_there(path)) continue;
    throw ConfigError(
        fmt::format("{} is a checkpoint of a run of this result file that has not ended; resume from it (--resume "
                    "auto), replace it by a run from the start (--force), or choose another result file with -o",
                    path));
  }
}

void check_earlier_result(const std::string& result_path, const RunIdentity& run, const std::string& config_toml) {
  refuse_to_lose_rows(result_path, run);
  if (!is_there(result_path)) return;
  const RunSummary earlier = summary_of(result_path);
  const std::string advice = "replace it with --force, or choose another path with -o";
  RunIdentity theirs = identity_of(earlier.provenance), ours = run;
  theirs.inputs.config_toml = earlier.config_toml;
  ours.inputs.config_toml = config_toml;
  if (const std::string why = difference(theirs, ours); !why.empty())
    throw ConfigError(fmt::format("'{}' is there already, of another run: {}; {}", result_path, why, advice));
  if (!is_final(earlier.status)) {
    tell(stderr, "'{}' has the status {}: it is replaced when this run has ended\n", result_path, earlier.status);
    return;
  }
  if (const std::string other = other_output(earlier.config_toml, config_toml, result_path); !other.empty()) {
    throw ConfigError(
        fmt::format("'{}' is there already, of this run but with another [output]:{}\n{}", result_path, other, advice));
  }
  // killed between the last two steps of its end
  if (!is_there(result_path + ".part")) remove_checkpoints(result_path);
  throw HasEnded(
      fmt::format("'{}' is there already and has the status {}: nothing is left to do (--force runs it again)",
                  result_path, earlier.status),
      exit_code_of(earlier.status));
}

std::unique_ptr<CheckpointReader> find_checkpoint(const RunArguments& arguments, const std::string& result_path,
                                                  const RunIdentity& run) {
  if (arguments.resume.empty()) return nullptr;
  if (arguments.check_invariants) {
    throw ConfigError("--check follows a run from its start, so it cannot go with --resume; leave one of them out");
  }
  auto reader = arguments.resume == "auto" ? newest(result_path, run) : named(arguments.resume, run);
  if (reader) {
    const double time_ps = static_cast<double>(reader->header().time_ps);
    tell(stderr, "resuming from {} at {}\n", reader->path(), human_quantity(time_ps, Quantity::time_ps));
  }
  return reader;
}

}  // namespace heddle
