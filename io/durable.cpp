#include "io/durable.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace heddle {

std::string folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

bool is_there(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 || (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG);
}

std::string new_file_beside(const std::string& path) {
  for (unsigned attempt = 0;; ++attempt) {
    std::string name = path + ".tmp_" + std::to_string(::getpid()) + "_" + std::to_string(attempt);
    const int descriptor = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor >= 0) return ::close(descriptor) == 0 ? name : "";
    if (errno != EEXIST) return "";
  }
}

int sync_to_disk(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int status = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  return status == EINVAL || status == ENOTSUP ? 0 : status;
}

int rename_durably(const std::string& from, const std::string& to) {
  if (const int status = sync_to_disk(from); status != 0) return status;
  if (std::rename(from.c_str(), to.c_str()) != 0) return errno;
  return sync_to_disk(folder_of(to));
}

int rename_to_free_name(const std::string& from, const std::string& to) {
  if (const int status = sync_to_disk(from); status != 0) return status;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
    return sync_to_disk(folder_of(to));
  if (errno != EINVAL && errno != ENOSYS) return errno;
  return is_there(to) ? EEXIST : rename_durably(from, to);
}

}  // namespace heddle
