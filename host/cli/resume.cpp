#include "host/cli/resume.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "host/config/units.hpp"
#include "host/error.hpp"
#include "io/checkpoint/slots.hpp"

namespace heddle {
namespace {

void refuse_to_lose(const std::string& result_path) {
  for (const std::string& path : checkpoint_paths(result_path)) {
    if (!std::filesystem::exists(path)) continue;
    throw ConfigError(fmt::format(
        "{} is a checkpoint of a run of this result file that has not ended; go on with it (--resume auto), replace it "
        "by a run from the start (--force), or choose another result file with -o",
        path));
  }
}

std::unique_ptr<CheckpointReader> named(const std::string& path, const RunIdentity& run) {
  auto reader = std::make_unique<CheckpointReader>(path);
  const std::string why_not = difference(reader->header().run, run);
  if (!why_not.empty()) throw ConfigError(fmt::format("{}: {}", path, why_not));
  return reader;
}

std::unique_ptr<CheckpointReader> newest(const std::string& result_path, const RunIdentity& run, bool say) {
  NewestCheckpoint found = newest_checkpoint(result_path, run);
  std::string reasons;
  for (const std::string& reason : found.passed_over) reasons += "\n  " + reason;
  if (!found.reader && !reasons.empty()) {
    throw ConfigError(fmt::format(
        "there are checkpoints of {}, but the run cannot go on from any of them:{}\nmend what they say, or remove them "
        "to start anew",
        result_path, reasons));
  }
  if (say && !reasons.empty()) fmt::print(stderr, "warning: passed over:{}\n", reasons);
  if (say && !found.reader) fmt::print(stderr, "there is no checkpoint of {} yet: the run starts anew\n", result_path);
  return std::move(found.reader);
}

}  // namespace

std::unique_ptr<CheckpointReader> find_checkpoint(const RunArguments& arguments, const std::string& result_path,
                                                  const RunIdentity& run, bool say) {
  if (arguments.resume.empty()) {
    if (!arguments.force) refuse_to_lose(result_path);
    return nullptr;
  }
  if (arguments.check_invariants) {
    throw ConfigError("--check follows a run from its start, so it cannot go with --resume; leave one of them out");
  }
  auto reader = arguments.resume == "auto" ? newest(result_path, run, say) : named(arguments.resume, run);
  if (say && reader) {
    const double time_ps = static_cast<double>(reader->header().time_ps);
    fmt::print(stderr, "going on from {} at {}\n", reader->path(), human_quantity(time_ps, Quantity::time_ps));
  }
  return reader;
}

}  // namespace heddle
