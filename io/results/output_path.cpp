#include "io/results/output_path.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "io/durable.hpp"
#include "io/error.hpp"
#include "io/unfinished.hpp"

namespace heddle {
namespace {

/// The longest name that a run gives a file beside its result (checkpoint/writer.cpp).
constexpr std::string_view kLongestEnding = ".checkpoint_0.01234567.tmp";

struct Refusal {
  const std::string& path;
  std::string_view named_by;

  [[noreturn]] void because(const std::string& why, const std::string& suggestion) const {
    throw OutputError(fmt::format("cannot write results to '{}': {}; nothing has been run; {} with {}", path, why,
                                  suggestion, named_by));
  }
};

/// Refuses a folder that does not exist, may not be entered, or is a circle of links.
void check_folder(const std::string& folder, const Refusal& refusal) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return;
    refusal.because(fmt::format("'{}' is no folder", folder), "choose another path");
  }
  if (errno == ENOENT)
    refusal.because(fmt::format("folder '{}' does not exist", folder), "create it or choose another path");
  refusal.because(fmt::format("folder '{}': {}", folder, std::strerror(errno)), "choose another path");
}

void check_name_length(const std::string& path, const std::string& folder, const Refusal& refusal) {
  const size_t bytes = std::filesystem::path(path).filename().string().size();
  const long most = ::pathconf(folder.c_str(), _PC_NAME_MAX);
  if (most <= 0 || bytes + kLongestEnding.size() <= static_cast<size_t>(most)) return;
  refusal.because(
      fmt::format("its name has {} bytes, and the files that are made beside it (such as its checkpoints) have up to "
                  "{} more, where this file system allows {}",
                  bytes, kLongestEnding.size(), most),
      "give a shorter name");
}

/// Follows a link to what it names: only a file can be replaced.
void check_what_is_there(const std::string& path, const Refusal& refusal) {
  struct stat link {
  }, status{};
  if (::lstat(path.c_str(), &link) != 0) {
    if (errno != ENOENT) refusal.because(std::strerror(errno), "choose another path");
    return;
  }
  if (::stat(path.c_str(), &status) != 0) {
    const std::string why = errno == ENOENT ? "what it leads to is not there" : std::strerror(errno);
    refusal.because(fmt::format("it is a symbolic link: {}", why), "remove the link, or give another file name");
  }
  if (S_ISDIR(status.st_mode)) refusal.because("it is a folder", "give a file name");
  if (!S_ISREG(status.st_mode))
    refusal.because("it is no ordinary file, so it cannot be replaced by one", "give another file name");
}

/// Explains why a right is missing that the permission bits grant; "" when none is missing.
std::string protection_of(const std::string& path) {
  struct statx status {};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &status) != 0) return "";
  if ((status.stx_attributes & STATX_ATTR_IMMUTABLE) != 0) return "immutable (chattr -i)";
  if ((status.stx_attributes & STATX_ATTR_APPEND) != 0) return "append-only (chattr -a)";
  return "";
}

/// In a folder like /tmp only the owner may remove or replace a file.
bool is_kept_by_its_owner(const std::string& path, const std::string& folder) {
  struct stat file {
  }, holder{};
  if (::lstat(path.c_str(), &file) != 0 || ::stat(folder.c_str(), &holder) != 0) return false;
  const uid_t user = ::geteuid();
  return (holder.st_mode & S_ISVTX) != 0 && user != 0 && user != file.st_uid && user != holder.st_uid;
}

/// Checks whether existing files can be replaced, because new files take their names only at the end of the run.
void check_replaceable(const std::string& path, const std::string& folder, const Refusal& refusal) {
  if (const std::string why = protection_of(folder); !why.empty())
    refusal.because(fmt::format("folder '{}' is {}, so no file in it can be renamed or removed", folder, why),
                    "choose another folder");
  for (const char* ending : {"", ".part", ".checkpoint_0", ".checkpoint_1"}) {
    const std::string each = path + ending;
    if (const std::string why = protection_of(each); !why.empty())
      refusal.because(fmt::format("'{}' is {}, so it cannot be replaced", each, why), "choose another path");
    if (is_kept_by_its_owner(each, folder))
      refusal.because(fmt::format("'{}' is another user's, and in this folder only the owner may replace it", each),
                      "choose another path");
  }
}

/// Refuses a path that cannot be written.
void check_path(const std::string& path, bool overwrite, const Refusal& refusal) {
  if (path.empty()) refusal.because("the name is empty", "give a file name");
  if (path == "-")
    refusal.because(
        "results are files, which cannot be written to standard output (and a file of this name would be "
        "taken for that by other programs)",
        "give a file name");
  const std::string folder = folder_of(path);
  check_folder(folder, refusal);
  check_what_is_there(path, refusal);
  if (!overwrite && is_there(path)) {
    throw OutputError(fmt::format(
        "cannot write results to '{}': it exists already; nothing has been run; choose another path with {}, or "
        "replace it with --force",
        path, refusal.named_by));
  }
  check_name_length(path, folder, refusal);
  check_replaceable(path, folder, refusal);
}

/// Tries to write: permission bits do not show read-only file systems, quotas or the identity of root.
void probe(const std::string& path, const Refusal& refusal) {
  const NotWhole probing;
  std::string probe_path = path + ".probe_XXXXXX";
  const int descriptor = ::mkostemp(probe_path.data(), O_CLOEXEC);
  if (descriptor < 0) refusal.because(std::strerror(errno), "choose a folder that you may write to");
  ::close(descriptor);
  const std::string renamed = probe_path + "_";
  const bool can_rename = std::rename(probe_path.c_str(), renamed.c_str()) == 0;
  const int error = errno;
  const std::string& now = can_rename ? renamed : probe_path;
  const bool can_remove = ::unlink(now.c_str()) == 0;
  if (can_rename && can_remove) return;
  refusal.because(
      fmt::format("files in its folder can be made, but not {}: {}{}", can_rename ? "removed" : "renamed",
                  std::strerror(can_rename ? errno : error), can_remove ? "" : fmt::format(" (so '{}' is left)", now)),
      "choose another folder");
}

}  // namespace

void check_writable(const std::string& path, bool overwrite, std::string_view named_by) {
  const Refusal refusal{path, named_by};
  check_path(path, overwrite, refusal);
  if (is_there(path + ".part") && !overwrite) {
    throw OutputError(fmt::format(
        "cannot write results to '{0}': '{0}.part' exists: a run that was killed left it, or one is writing it now; "
        "nothing has been run; look at it with 'heddle info', then choose another path with {1}, or replace it with "
        "--force",
        path, named_by));
  }
  probe(path, refusal);
}

void check_continuable(const std::string& path, bool overwrite, std::string_view named_by) {
  const Refusal refusal{path, named_by};
  check_path(path, overwrite, refusal);
  if (!is_there(path + ".part") && !is_there(path)) {
    refusal.because(
        fmt::format("there is no '{}.part', the rows that the killed run has written until its checkpoint", path),
        "start anew without its checkpoints, or give the path of that run");
  }
  probe(path, refusal);
}

}  // namespace heddle
