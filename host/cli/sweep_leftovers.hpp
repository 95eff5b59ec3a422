// What an earlier sweep left in the folder that another one is written into (`heddle sweep --force`).
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace heddle {

/// Removes configurations NNN.toml that the new sweep does not have. `texts`: the new ones by name ("07"). Results,
/// also partial ones and checkpoints, are never removed: throws IoError, before anything is removed, when there are
/// some of a run that the new sweep does not have or configures otherwise, for they would stand under other values than
/// theirs.
void remove_leftovers(const std::filesystem::path& folder, const std::map<std::string, std::string>& texts);

}  // namespace heddle
