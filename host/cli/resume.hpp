// The files left by an earlier run with the same result path, and how this run continues from them.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "host/cli/arguments.hpp"
#include "io/checkpoint/reader.hpp"
#include "io/results/run_identity.hpp"

namespace heddle {

/// The result exists already: no work is left.
struct HasEnded : std::exception {
  HasEnded(std::string text, int code) : message(std::move(text)), exit_code(code) {}
  const char* what() const noexcept override { return message.c_str(); }

  std::string message;
  int exit_code;  // exit code of the run that has ended
};

/// Whether the run with this result file is unfinished: it has left checkpoints, a .part, or a result that can be
/// continued.
bool has_left_something(const std::string& result_path);

/// Throw ConfigError: --resume names a missing checkpoint; a run that starts anew would remove checkpoints.
void refuse_missing_checkpoint(const RunArguments& arguments);
void refuse_to_lose_checkpoints(const std::string& result_path);

/// A check for a resumed run before it replaces an existing file: prints a note when the file is of the same run and
/// unfinished. Throws HasEnded when it is the result that this run would have; ConfigError when it is of another run,
/// has another [output], or cannot be read, or when a .part without checkpoints is of another run.
void check_earlier_result(const std::string& result_path, const RunIdentity& run, const std::string& config_toml);

/// The checkpoint that --resume names, verified; null: the run starts at the beginning. Prints what was found. Throws
/// ConfigError when the file, or every existing checkpoint, cannot be resumed from, or when --check is given, too;
/// InputError as CheckpointReader.
std::unique_ptr<CheckpointReader> find_checkpoint(const RunArguments& arguments, const std::string& result_path,
                                                  const RunIdentity& run);

}  // namespace heddle
