// Temporary files of a test program: one folder, gone with all that is in it when the program ends, also when it fails.
// Only a program that is itself killed leaves it: TMPDIR/heddle_test_XXXXXX.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace heddle::test {

/// A new folder, removed with all that is in it at the end of its life.
class ScratchFolder {
 public:
  /// In the folder of the program. Throws std::system_error when none can be made.
  ScratchFolder() : ScratchFolder(of_program().path()) {}
  ~ScratchFolder() {
    if (maker_ != getpid()) return;  // a copy in a fork
    std::error_code nothing_to_be_done;
    std::filesystem::remove_all(path_, nothing_to_be_done);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// The one that holds all others of this program, in the system's place for temporary files (TMPDIR), made by the
  /// first call. Call it before a fork whose child may be ended: what that leaves then lies in ours and goes with it.
  static const ScratchFolder& of_program() {
    static const ScratchFolder folder(std::filesystem::temp_directory_path());
    return folder;
  }

  /// A new folder in `parent`, for good. Throws std::system_error.
  static std::filesystem::path make_in(const std::filesystem::path& parent) {
    std::string pattern = (parent / "heddle_test_XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) return pattern;
    throw std::system_error(
        errno, std::generic_category(),
        pattern + ": cannot make this folder for temporary files; set TMPDIR to one that can be written to");
  }

 private:
  explicit ScratchFolder(const std::filesystem::path& parent) : path_(make_in(parent)) {}

  const pid_t maker_ = getpid();
  const std::filesystem::path path_;
};

/// A new folder that lasts as long as the program; a file name in such a one.
inline std::string fresh_folder() { return ScratchFolder::make_in(ScratchFolder::of_program().path()).string(); }
inline std::string fresh_file(const std::string& name) { return fresh_folder() + "/" + name; }

/// All that is in a file; "" when it cannot be read.
inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace heddle::test
