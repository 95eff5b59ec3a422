#include "io/results/output_path.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "io/durable.hpp"
#include "io/error.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& suggestion) {
  throw OutputError(fmt::format("cannot write results to '{}': {}; nothing has been run; {}", path, why, suggestion));
}

/// What makes a path impossible, whatever is done with it.
void check_path(const std::string& path, bool overwrite, std::string_view named_by) {
  const std::string folder = folder_of(path);
  std::error_code error;
  if (path.empty()) refuse(path, "the name is empty", fmt::format("give a file name with {}", named_by));
  if (!fs::is_directory(folder, error)) {
    refuse(path, fmt::format("folder '{}' does not exist", folder),
           fmt::format("create it or choose another path with {}", named_by));
  }
  if (fs::is_directory(path, error)) refuse(path, "it is a folder", fmt::format("give a file name with {}", named_by));
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    refuse(path, "it is no ordinary file, so it cannot be replaced by one",
           fmt::format("give another file name with {}", named_by));
  }
  if (fs::exists(path, error) && !overwrite) {
    refuse(path, "it exists already", fmt::format("choose another path with {}, or replace it with --force", named_by));
  }
}

/// Only the attempt tells: permission bits do not show read-only file systems, quotas or who root is.
void probe(const std::string& path, std::string_view named_by) {
  const std::string probe_path = path + ".probe";
  const int descriptor = ::open(probe_path.c_str(), O_CREAT | O_WRONLY | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno != EEXIST)
    refuse(path, std::strerror(errno), fmt::format("choose a folder that you may write to with {}", named_by));
  if (descriptor < 0) return;
  ::close(descriptor);
  ::unlink(probe_path.c_str());
}

}  // namespace

void check_writable(const std::string& path, bool overwrite, std::string_view named_by) {
  check_path(path, overwrite, named_by);
  std::error_code error;
  if (fs::exists(path + ".part", error) && !overwrite) {
    refuse(path, fmt::format("'{}.part' exists: a run that was killed left it, or one is writing it now", path),
           fmt::format("look at it with 'heddle info', then choose another path with {}, or replace it with --force",
                       named_by));
  }
  probe(path, named_by);
}

void check_continuable(const std::string& path, bool overwrite, std::string_view named_by) {
  check_path(path, overwrite, named_by);
  std::error_code error;
  if (!fs::is_regular_file(path + ".part", error) && !fs::is_regular_file(path, error)) {
    refuse(path,
           fmt::format("there is no '{}.part', the rows that the killed run has written until its checkpoint", path),
           fmt::format("give the path of that run with {}, or start anew without its checkpoints", named_by));
  }
  probe(path, named_by);
}

}  // namespace heddle
