// All problems of a file, reported together.
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Collects messages, so that the user fixes a file once, not once per mistake.
class Problems {
 public:
  /// `where` is "file.toml:12:3" or "--set key=value"; the message ends in advice.
  void add(const std::string& where, const std::string& message);
  bool empty() const { return messages_.empty(); }
  /// The messages, one per line, of many the first ones.
  std::string text() const;

 private:
  std::vector<std::string> messages_;
};

}  // namespace heddle
