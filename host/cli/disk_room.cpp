#include "host/cli/disk_room.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "host/cli/machine_fault.hpp"

namespace heddle {

std::string why_no_room(const std::string& folder) {
  const std::string path = fmt::format("{}/.room_{}", folder, ::getpid());
  const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  int error = file < 0 ? errno : 0;
  if (file >= 0) {
    const std::vector<char> some(64 << 10);
    if (const ssize_t put = ::write(file, some.data(), some.size()); put < static_cast<ssize_t>(some.size()))
      error = put < 0 ? errno : ENOSPC;
    if (::close(file) != 0 && error == 0) error = errno;
    ::unlink(path.c_str());
  }
  return is_machines_fault(error) ? std::strerror(error) : "";
}

}  // namespace heddle
