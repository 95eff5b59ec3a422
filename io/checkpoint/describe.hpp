// A checkpoint as text.
#pragma once

#include <string>

namespace heddle {

/// Whether the file says that it is a checkpoint; false when it cannot be read.
bool is_checkpoint(const std::string& path);

/// What `heddle info` shows of a checkpoint: its simulated time, when it was written, the run that it belongs to, with
/// what its result file says of that run (ranks, command), and how to resume. Every byte of it is looked at. Throws
/// InputError as verify_seal().
std::string describe_checkpoint(const std::string& path);

/// The same for programs: one line of JSON with units in the names of keys.
std::string describe_checkpoint_json(const std::string& path);

}  // namespace heddle
