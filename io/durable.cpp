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

}  // namespace heddle
