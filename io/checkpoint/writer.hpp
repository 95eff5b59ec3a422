// Writes a checkpoint.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "io/checkpoint/header.hpp"

namespace heddle {

struct CheckpointParts;

/// One checkpoint: named sections of 64-bit words, written to `path`.XXXXXXXX.tmp, a name of its own, and renamed to
/// `path` by finish(), so that whatever kills the program or the machine leaves under `path` what was there before, or
/// the whole new one.
/// Memory: 1 MiB. Every function throws OutputError, which says what could not be written, that the checkpoint before
/// is intact, and what to try; after that only the destructor may be called.
class CheckpointWriter {
 public:
  /// Throws std::invalid_argument when the software version has more than 128
  /// bytes or a line break.
  CheckpointWriter(const std::string& path, const CheckpointHeader& header);
  ~CheckpointWriter();  // without finish(): removes the .tmp
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Starts the next section; a section may be empty. Throws std::invalid_argument when the name is not one of
  /// lower-case letters, digits and _, is "run", which finish() writes, or comes for the second time.
  void begin(std::string_view section);
  /// Appends to the present section.
  void append(std::span<const u64> words);
  /// Seals the file, waits until it is on the disk, and renames it.
  void finish();

 private:
  std::unique_ptr<CheckpointParts> parts_;
};

}  // namespace heddle
