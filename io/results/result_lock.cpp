#include "io/results/result_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <thread>

#include "io/error.hpp"

namespace heddle {
namespace {

/// A killed process keeps its locks until the kernel has removed it, and mpirun ends before its ranks do.
constexpr std::chrono::milliseconds kPatience{2000}, kPause{50};

constexpr std::string_view kFirstWord = "process ";  // begins every lock

std::string who_we_are() {
  std::array<char, 256> host = {};
  ::gethostname(host.data(), host.size() - 1);
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  std::array<char, 32> since = {};
  std::strftime(since.data(), since.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  const char* job = std::getenv("SLURM_JOB_ID");
  return fmt::format("{}{} on {}{}, since {}", kFirstWord, ::getpid(), host.data(),
                     job == nullptr ? "" : fmt::format(", Slurm job {}", job), since.data());
}

/// Returns the holder's text, which may not be written yet.
std::string holder_of(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return "";
  std::array<char, 512> text = {};
  const ssize_t size = ::read(descriptor, text.data(), text.size() - 1);
  ::close(descriptor);
  return size <= 0 ? "" : " (" + std::string(text.data(), std::strcspn(text.data(), "\n")) + ")";
}

/// Explains why a file with a lock's name is not a lock of a run; "" when the file may be used.
std::string why_no_lock(int descriptor) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) return std::strerror(errno);
  if (!S_ISREG(status.st_mode)) return "it is no ordinary file";
  std::array<char, kFirstWord.size()> begin = {};
  const ssize_t size = ::pread(descriptor, begin.data(), begin.size(), 0);
  const std::string_view read(begin.data(), size < 0 ? 0 : static_cast<std::size_t>(size));
  return size == 0 || read == kFirstWord ? "" : "it holds something else than the lock of a run";
}

/// Whether this file still has the name: the holder may have removed it, and another run made a new one.
bool is_named(int descriptor, const std::string& path) {
  struct stat ours = {}, there = {};
  return ::fstat(descriptor, &ours) == 0 && ::lstat(path.c_str(), &there) == 0 && ours.st_dev == there.st_dev &&
         ours.st_ino == there.st_ino;
}

}  // namespace

std::string lock_path_of(const std::string& result_path) { return result_path + ".lock"; }

ResultLock::ResultLock(const std::string& path) : path_(lock_path_of(path)) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  Outcome outcome = attempt();
  while (outcome == Outcome::taken && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kPause);
    outcome = attempt();
  }
  if (outcome == Outcome::taken) {
    throw OutputError(
        fmt::format("cannot write results to '{}': another run is writing it{}; nothing has been run; wait for that "
                    "one to end, or choose another path with -o (only when that process is surely gone, because its "
                    "machine has crashed, remove '{}': two runs of one file destroy each other's rows)",
                    path, holder_of(path_), path_));
  }
  if (outcome == Outcome::none) {
    warning_ = fmt::format(
        "the file system of '{}' has no locks ({}), so nothing keeps a second run from writing the same result file at "
        "the same time; start each only once",
        path, std::strerror(errno));
    ::unlink(path_.c_str());
    return;
  }
  holder_ = who_we_are() + "\n";
  say("");
}

void ResultLock::say(const std::string& progress) {
  if (descriptor_ < 0) return;
  const std::string text = holder_ + progress + (progress.empty() ? "" : "\n");
  // The text is only for people, so a full disk does not fail the lock. The file is cut last, so that a reader always
  // finds the holder.
  const ssize_t put = ::pwrite(descriptor_, text.data(), text.size(), 0);
  if (put >= 0) [[maybe_unused]]
    const int cut = ::ftruncate(descriptor_, put);
}

ResultLock::Outcome ResultLock::attempt() {
  const NotWhole making;
  const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  const std::string why =
      descriptor < 0 ? (errno == ELOOP ? "it is a symbolic link" : std::strerror(errno)) : why_no_lock(descriptor);
  if (!why.empty()) {
    if (descriptor >= 0) ::close(descriptor);
    throw OutputError(fmt::format(
        "cannot make '{}': {} (it keeps a second run from writing the same result file); nothing has been run; remove "
        "it if it is there, or choose another path with -o",
        path_, why));
  }
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    if (is_named(descriptor, path_)) {
      descriptor_ = descriptor;
      unfinished_.emplace(path_);
      return Outcome::held;
    }
    ::close(descriptor);
    return Outcome::taken;  // by the maker of the new file, or in a moment by this process
  }
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return error == EWOULDBLOCK || error == EINTR ? Outcome::taken : Outcome::none;
}

ResultLock::~ResultLock() {
  if (descriptor_ < 0) return;
  if (is_named(descriptor_, path_)) ::unlink(path_.c_str());  // while held: the file belongs to no other run
  ::close(descriptor_);
}

}  // namespace heddle
