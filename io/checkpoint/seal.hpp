// The first 512 bytes of a checkpoint: HDF5 leaves them to us (its "user block"), and they vouch for all the others.
#pragma once

#include <string>

#include "io/checkpoint/header.hpp"

namespace heddle {

/// Text, one `name value` per line, then zeros: the header, the size of the file, a hash of every byte after the
/// seal, and a hash of the seal itself. So a damaged file is refused before HDF5 tries to make sense of it, each single
/// bit counts, and the header of a checkpoint of many GB is read at the cost of 512 bytes. `head -c 512 FILE` shows it.
inline constexpr u64 kSealBytes = 512;

/// Longest software version that a seal has room for.
inline constexpr u64 kMaxVersionBytes = 128;

/// Seals a file that is complete but for its first 512 bytes. Returns 0 or errno.
int write_seal(const std::string& path, const CheckpointHeader& header);

/// What the seal says, which is all but inputs and history (run_section.hpp), and whether the file has the size that it
/// should have. Throws InputError: no such file, not a checkpoint, a newer format version, truncated.
CheckpointHeader read_seal(const std::string& path);

/// Like read_seal(), but reads every byte and also throws where one of them has changed.
CheckpointHeader verify_seal(const std::string& path);

}  // namespace heddle
