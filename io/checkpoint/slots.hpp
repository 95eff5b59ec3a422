// The two checkpoints of a run: their names, which is written next, which a run resumes from.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "io/checkpoint/reader.hpp"

namespace heddle {

/// Where the checkpoints of the result `path` are: `path`.checkpoint_0 and `path`.checkpoint_1.
std::array<std::string, 2> checkpoint_paths(const std::string& result_path);

/// Where the next checkpoint of the run goes: in the place of one that is missing, cannot be read or belongs to another
/// run; else in that of the older one. Reads 512 bytes of each, which do not say whether the rest is as it was: where
/// one is known to be whole, because it was just written or resumed from, that is `whole_path`, and it is the other's
/// place. Throws nothing.
std::string next_checkpoint_path(const std::string& result_path, const RunIdentity& run,
                                 const std::string& whole_path = "");

/// The checkpoint from which a run resumes.
struct NewestCheckpoint {
  std::unique_ptr<CheckpointReader> reader;  // null: there is none
  std::vector<std::string> passed_over;      // why not the others that exist, one text each, for the user
};

/// The checkpoint with the largest simulated time among those that are whole and belong to the run. Files with other
/// names, also a .tmp that a killed run left, do not count.
NewestCheckpoint newest_checkpoint(const std::string& result_path, const RunIdentity& run);

/// Removes what a killed run has left of a checkpoint that it was writing (.tmp): while the result is locked, before
/// the first one is written. Throws OutputError when it cannot be removed.
void remove_temporary_checkpoints(const std::string& result_path);

/// Removes the checkpoints of the run, these too: when a run has ended, and before one starts anew. Throws OutputError
/// when one is there that cannot be removed.
void remove_checkpoints(const std::string& result_path);

}  // namespace heddle
