// Which checkpoint a run goes on from.
#pragma once

#include <memory>
#include <string>

#include "host/cli/commands.hpp"
#include "io/checkpoint/reader.hpp"
#include "io/run_identity.hpp"

namespace heddle {

/// What --resume names, verified; null: the run starts at the beginning. `say`: this rank tells the user what was
/// found. Throws ConfigError: the file or every checkpoint there is cannot be gone on from, checkpoints of a killed run
/// would be lost (no --resume, no --force), or --check is given, too. InputError as CheckpointReader.
std::unique_ptr<CheckpointReader> find_checkpoint(const RunArguments& arguments, const std::string& result_path,
                                                  const RunIdentity& run, bool say);

}  // namespace heddle
