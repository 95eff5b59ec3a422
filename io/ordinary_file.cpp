#include "io/ordinary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace heddle {
namespace {

constexpr u64 kBlockBytes = 1 << 20;  // read at a time

std::string words_of(int error) {
  if (error == ELOOP) return "its symbolic links lead in a circle; mend them";
  if (error == EACCES) return "Permission denied; check the permissions of the file and of the folders that lead to it";
  if (error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG)
    return fmt::format("{}; check the path", std::strerror(error));
  return std::strerror(error);
}

/// Why a name that is there leads nowhere; "" when it is no link.
std::string words_of_link(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::read_symlink(path, error);
  if (error) return "";
  return fmt::format("it is a symbolic link to '{}', which is not there; mend the link", target.string());
}

/// Why the path is no ordinary file; "": it is one.
std::string words_of_kind(mode_t mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "it is a folder; give the name of a file";
  constexpr const char* kAdvice = "write what comes out of it to a file, and give that";
  if (S_ISFIFO(mode)) return fmt::format("it is a pipe; {}", kAdvice);
  if (S_ISCHR(mode) || S_ISBLK(mode)) return fmt::format("it is a device; {}", kAdvice);
  return fmt::format("it is no ordinary file; {}", kAdvice);
}

}  // namespace

OrdinaryFile::OrdinaryFile(const std::string& path) {
  struct stat status {};
  // looked at before it is opened: opening some devices does something
  if (::stat(path.c_str(), &status) != 0) {
    const int why = errno;
    if (why == ENOENT) problem_ = words_of_link(path);
    if (problem_.empty()) problem_ = words_of(why);
    return;
  }
  problem_ = words_of_kind(status.st_mode);
  if (!problem_.empty()) return;
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
    problem_ = words_of(errno);
    return;
  }
  problem_ = words_of_kind(status.st_mode);  // it may be another one by now
  bytes_ = static_cast<u64>(status.st_size);
}

OrdinaryFile::~OrdinaryFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<std::string> OrdinaryFile::read_all(u64 max_bytes) {
  if (!problem_.empty()) return std::nullopt;
  std::string text;
  u64 size = 0;
  if (struct stat state; ::fstat(descriptor_, &state) == 0)
    text.reserve(std::min(static_cast<u64>(std::max<off_t>(state.st_size, 0)), max_bytes) + kBlockBytes);
  while (size <= max_bytes) {
    text.resize(size + kBlockBytes);
    const ssize_t got = ::read(descriptor_, text.data() + size, kBlockBytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      problem_ = fmt::format("{}; check its disk", std::strerror(errno));
      return std::nullopt;
    }
    size += static_cast<u64>(got);
    if (got == 0) break;
  }
  text.resize(size);
  if (size <= max_bytes) return text;
  problem_ =
      fmt::format("it has more than the {} bytes that are read at most; is it the file that was meant?", max_bytes);
  return std::nullopt;
}

std::string why_no_ordinary_file(const std::string& path) { return OrdinaryFile(path).problem(); }

}  // namespace heddle
