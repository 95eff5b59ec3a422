// What an earlier sweep left in the folder that another one is written into (`heddle sweep --force`).
#pragma once

#include <filesystem>
#include <vector>

#include "host/cli/sweep/writer.hpp"

namespace heddle {

/// What is to be removed when `files` have been written: configurations NNN.toml that the new sweep does not have, logs
/// of those and of runs that it configures otherwise, copies of input files that no configuration names any more.
/// Results, also partial ones and checkpoints, are never among them: throws IoError when there are some of a run that
/// the new sweep does not have or configures otherwise, for they would stand under other values than theirs.
/// Throws IoError, too, when the sweep would replace or remove a file that none has written.
std::vector<std::filesystem::path> leftovers_in(const std::filesystem::path& folder, const SweepFiles& files);

/// Throws IoError: one cannot be removed.
void remove_leftovers(const std::vector<std::filesystem::path>& leftovers);

}  // namespace heddle
