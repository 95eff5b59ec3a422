// Failures of reading and writing files. The command line turns them into exit codes.
#pragma once

#include <stdexcept>
#include <string>

namespace heddle {

/// Any failure in io. The message says what is wrong, where, why it matters and what to try.
struct IoError : std::runtime_error {
  explicit IoError(const std::string& message) : std::runtime_error(message) {}
};

/// A file that was read cannot be understood: a foreign input or a result file.
struct InputError : IoError {
  using IoError::IoError;
};

/// A file cannot be written: missing folder, no permission, full disk, existing file.
struct OutputError : IoError {
  using IoError::IoError;
};

}  // namespace heddle
