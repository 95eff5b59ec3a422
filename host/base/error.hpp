// Errors that the user can fix: the command line turns them into exit code 2.
#pragma once

#include <stdexcept>
#include <string>

namespace heddle {

/// Bad input. The message says what is wrong, where (file, line, column, key), why it matters and what to try.
struct ConfigError : std::runtime_error {
  explicit ConfigError(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace heddle
