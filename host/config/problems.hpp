// All that is wrong with a file, said in one go.
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Collects messages; the user mends a file once, not once per mistake.
class Problems {
 public:
  /// `where` is "file.toml:12:3" or "--set key=value"; the message ends in what to try.
  void add(const std::string& where, const std::string& message);
  bool empty() const { return messages_.empty(); }
  /// Throws ConfigError with every message, one per line, if there is any.
  void throw_if_any() const;

 private:
  std::vector<std::string> messages_;
};

}  // namespace heddle
