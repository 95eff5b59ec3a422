// The one way in which files of users are opened for reading.
#pragma once

#include <optional>
#include <string>

#include "kernels/base/types.hpp"

namespace heddle {

/// A file of bytes, open for reading. A pipe, a device, a terminal or a folder is none: they may block for ever, never
/// end, or read as empty. Throws nothing: who asks says what the file was to be.
class OrdinaryFile {
 public:
  explicit OrdinaryFile(const std::string& path);
  ~OrdinaryFile();
  OrdinaryFile(const OrdinaryFile&) = delete;
  OrdinaryFile& operator=(const OrdinaryFile&) = delete;

  /// Why it cannot be read, and what to try; empty while it can.
  const std::string& problem() const { return problem_; }
  int descriptor() const { return descriptor_; }
  /// The size that the file system reports; files of the kernel report 0.
  u64 bytes() const { return bytes_; }
  /// All bytes, once; none when there are more than `max_bytes` or they cannot be read: then problem() says it.
  std::optional<std::string> read_all(u64 max_bytes);

 private:
  int descriptor_ = -1;
  u64 bytes_ = 0;
  std::string problem_;
};

/// Largest text that is read: flows, topologies, paths.
inline constexpr u64 kMaxTextBytes = u64{4} << 30;
/// Largest configuration that is read: of one message per line, a million of them.
inline constexpr u64 kMaxConfigBytes = u64{256} << 20;

/// OrdinaryFile::problem(), for files that something else opens.
std::string why_no_ordinary_file(const std::string& path);

}  // namespace heddle
