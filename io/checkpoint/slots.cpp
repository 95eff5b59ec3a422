#include "io/checkpoint/slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "io/checkpoint/run_section.hpp"
#include "io/checkpoint/seal.hpp"
#include "io/durable.hpp"
#include "io/error.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

struct Candidate {
  std::string path;
  TimePs time_ps = 0;
};

/// A checkpoint that, as its seal says, the run can resume from. Otherwise the reason why not, unless nothing is there
/// or nobody asks (null).
std::optional<Candidate> candidate(const std::string& path, const RunIdentity& run,
                                   std::vector<std::string>* passed_over) {
  if (!is_there(path)) return std::nullopt;
  try {
    CheckpointHeader header = read_seal(path);
    if (difference(header.run, run).empty()) return Candidate{path, header.time_ps};
    if (passed_over == nullptr) return std::nullopt;
    // another version may keep them otherwise
    if (header.run.software_version == run.software_version) header.run.inputs = read_inputs(path);
    passed_over->push_back(fmt::format("checkpoint '{}' is of another run: {}", path, difference(header.run, run)));
  } catch (const InputError& refused) {
    if (passed_over != nullptr) passed_over->emplace_back(refused.what());
  }
  return std::nullopt;
}

std::vector<Candidate> candidates(const std::string& result_path, const RunIdentity& run,
                                  std::vector<std::string>* passed_over) {
  std::vector<Candidate> all;
  for (const std::string& path : checkpoint_paths(result_path)) {
    if (std::optional<Candidate> found = candidate(path, run, passed_over)) all.push_back(*std::move(found));
  }
  return all;
}

/// Whether a file of this name is one that a CheckpointWriter was writing.
bool is_temporary(const std::string& name, const std::string& result_path) {
  constexpr std::string_view kEnding = ".tmp", kDigits = "0123456789abcdef";
  for (const std::string& path : checkpoint_paths(result_path)) {
    const std::string begin = fs::path(path).filename().string() + ".";
    if (name.size() != begin.size() + 8 + kEnding.size() || !name.starts_with(begin) || !name.ends_with(kEnding))
      continue;
    if (name.find_first_not_of(kDigits, begin.size()) == begin.size() + 8) return true;
  }
  return false;
}

void remove_file(const fs::path& path, std::string_view why) {
  std::error_code error;
  fs::remove(path, error);
  if (!error) return;
  throw OutputError(fmt::format("cannot remove '{}': {} ({}) remove it by hand", path.string(), error.message(), why));
}

}  // namespace

std::array<std::string, 2> checkpoint_paths(const std::string& result_path) {
  return {result_path + ".checkpoint_0", result_path + ".checkpoint_1"};
}

std::string next_checkpoint_path(const std::string& result_path, const RunIdentity& run,
                                 const std::string& whole_path) {
  const std::array<std::string, 2> paths = checkpoint_paths(result_path);
  if (whole_path == paths[0]) return paths[1];
  if (whole_path == paths[1]) return paths[0];
  const std::vector<Candidate> kept = candidates(result_path, run, nullptr);
  if (kept.size() == paths.size()) return std::ranges::min_element(kept, {}, &Candidate::time_ps)->path;
  return !kept.empty() && kept[0].path == paths[0] ? paths[1] : paths[0];
}

NewestCheckpoint newest_checkpoint(const std::string& result_path, const RunIdentity& run) {
  NewestCheckpoint newest;
  std::vector<Candidate> kept = candidates(result_path, run, &newest.passed_over);
  std::ranges::sort(kept, std::ranges::greater(), &Candidate::time_ps);
  for (const Candidate& candidate : kept) {
    try {
      newest.reader = std::make_unique<CheckpointReader>(candidate.path);
      return newest;
    } catch (const InputError& refused) {
      newest.passed_over.emplace_back(refused.what());
    }
  }
  return newest;
}

void remove_temporary_checkpoints(const std::string& result_path) {
  std::error_code error;
  fs::directory_iterator entries(folder_of(result_path), error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    if (is_temporary(entries->path().filename().string(), result_path))
      remove_file(entries->path(), "it takes the room of a checkpoint");
  }
  if (error)
    throw OutputError(fmt::format("cannot look into folder '{}': {} (for what a killed run has left of a checkpoint)",
                                  folder_of(result_path), error.message()));
}

void remove_checkpoints(const std::string& result_path) {
  for (const std::string& path : checkpoint_paths(result_path))
    remove_file(path, "it would be taken for a checkpoint of the next run");
  remove_temporary_checkpoints(result_path);
}

}  // namespace heddle
