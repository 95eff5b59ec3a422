#include "host/cli/sweep/writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "host/cli/machine_fault.hpp"
#include "io/error.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& what, int code) {
  const std::string text = fmt::format("{}: cannot {}: {}", path.string(), what, std::strerror(code));
  if (is_machines_fault(code)) {
    throw OutputError(text + "; nothing of the sweep was written; make room, or name a folder on another disk with -o");
  }
  throw IoError(text + "; nothing of the sweep was written; name a folder that you may write to with -o");
}

void check(const std::error_code& error, const fs::path& path, const std::string& what) {
  if (error) refuse(path, what, error.value());
}

void write_text(const fs::path& path, const std::string& text) {
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) refuse(path, "make this file", errno);
  int code = 0;
  for (std::size_t at = 0; at < text.size() && code == 0;) {
    const ssize_t n = ::write(file, text.data() + at, text.size() - at);
    if (n >= 0) at += static_cast<std::size_t>(n);
    if (n < 0 && errno != EINTR) code = errno;
  }
  if (::close(file) != 0 && code == 0) code = errno;  // NFS reports a full disk only here
  if (code != 0) refuse(path, "write this file", code);
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder created by this process; removed again unless it is kept.
class NewFolder {
 public:
  ~NewFolder() {
    std::error_code ignored;
    if (!staging_.empty()) fs::remove_all(staging_, ignored);
  }
  NewFolder() = default;
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// Creates a folder that no other process uses.
  const fs::path& make_staging(const std::string& begin) {
    std::error_code error;
    for (u_int attempt = 0; staging_.empty(); ++attempt) {
      const fs::path path = fmt::format("{}{}.{}", begin, ::getpid(), attempt);
      if (fs::create_directory(path, error)) staging_ = path;
      check(error, path, "make this folder");
    }
    return staging_;
  }
  void keep() { staging_.clear(); }

 private:
  fs::path staging_;
};

void fill(const fs::path& staging, const SweepFiles& files) {
  std::error_code error;
  for (const auto& [name, from] : files.copies) {
    const fs::path path = staging / name;
    fs::create_directories(path.parent_path(), error);
    check(error, path.parent_path(), "make this folder");
    fs::copy_file(from, path, error);
    check(error, path, fmt::format("copy {} to it", from.string()));
    fs::permissions(path, fs::perms::owner_write | fs::perms::owner_read, fs::perm_options::add, error);
  }
  for (const auto& [name, text] : files.texts) write_text(staging / name, text);
}

/// Moves the files into an existing folder. Names change one after the other, but no step needs disk space any more.
void move_in(const fs::path& staging, const fs::path& folder, const SweepFiles& files) {
  const auto move = [&](const std::string& name) {
    std::error_code error;
    fs::create_directories((folder / name).parent_path(), error);
    if (!error) fs::rename(staging / name, folder / name, error);
    if (!error) return;
    throw IoError(
        fmt::format("{}: cannot put the new file here: {}; others are new already, so write the sweep again "
                    "with --force once that is mended",
                    (folder / name).string(), error.message()));
  };
  for (const auto& [name, from] : files.copies) move(name);
  for (const auto& [name, text] : files.texts) move(name);
}

}  // namespace

bool holds_files(const fs::path& folder, const SweepFiles& files) {
  std::error_code error;
  for (const auto& [name, text] : files.texts) {
    if (!fs::is_regular_file(folder / name, error) || text_of(folder / name) != text) return false;
  }
  for (const auto& [name, from] : files.copies) {  // the name contains a hash of the content
    if (!fs::is_regular_file(folder / name, error)) return false;
  }
  return true;
}

void write_files(const fs::path& folder, const SweepFiles& files) {
  NewFolder made;
  std::error_code error;
  const bool there = fs::exists(folder, error);
  const fs::path staging = made.make_staging(there ? (folder / ".new_").string() : folder.string() + ".new_");
  fill(staging, files);
  if (there) {
    move_in(staging, folder, files);
    return;  // the staging folder, now empty, is removed
  }
  fs::rename(staging, folder, error);
  check(error, folder, "give the new folder this name");
  made.keep();
}

}  // namespace heddle
