// What an earlier run of the same result file has left, and how this one goes on with it.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "host/cli/arguments.hpp"
#include "io/checkpoint/reader.hpp"
#include "io/results/run_identity.hpp"

namespace heddle {

/// There is nothing left to do: the result is there.
struct HasEnded : std::exception {
  HasEnded(std::string text, int code) : message(std::move(text)), exit_code(code) {}
  const char* what() const noexcept override { return message.c_str(); }

  std::string message;
  int exit_code;  // of the run that has ended
};

/// Whether the run that was to write this file is not over: it has left checkpoints, a .part, or a result that going on
/// would take further.
bool has_left_something(const std::string& result_path);

/// For a run from the start. Throws ConfigError when there are checkpoints that it would remove.
void refuse_missing_checkpoint(const RunArguments& arguments);
void refuse_to_lose_checkpoints(const std::string& result_path);

/// For a run that goes on, before it replaces the file that is there, if any: says so when that one is of the same run
/// and did not come to its end. Throws HasEnded when it is the result that this run would have; ConfigError when it is
/// of another run, has another [output], or cannot be read, or when a .part without checkpoints is of another run.
void check_earlier_result(const std::string& result_path, const RunIdentity& run, const std::string& config_toml);

/// What --resume names, verified; null: the run starts at the beginning. Tells the user what was found. Throws
/// ConfigError: the file or every checkpoint there is cannot be gone on from, or --check is given, too. InputError as
/// CheckpointReader.
std::unique_ptr<CheckpointReader> find_checkpoint(const RunArguments& arguments, const std::string& result_path,
                                                  const RunIdentity& run);

}  // namespace heddle
