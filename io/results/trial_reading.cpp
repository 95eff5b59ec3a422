#include "io/results/trial_reading.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "io/error.hpp"
#include "io/printable.hpp"
#include "io/results/input_file.hpp"
#include "io/results/layout.hpp"
#include "kernels/base/types.hpp"

namespace heddle {
namespace {

bool forbidden = false;

constexpr rlim_t kMostCpuSeconds = 1;

/// Not this program's handlers, no core dump, and an end of what never ends.
void prepare_for_the_worst() {
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) std::signal(number, SIG_DFL);
  const rlimit no_core = {0, 0}, time = {kMostCpuSeconds, kMostCpuSeconds + 1};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_CPU, &time);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);  // the C library says something when its heap is hurt
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
}

/// The file stays open: to close it could write what this process has of it from its parent.
void read_texts(const std::string& path) {
  try {
    const auto* file = new InputFile(path);
    if (file->text_attribute("/", "format") == layout::kFormat) file->read_all_texts();
  } catch (const std::exception&) {  // said by who reads it next
  }
}

[[noreturn]] void try_and_tell(const std::string& path, int through) {
  prepare_for_the_worst();
  read_texts(path);
  const char survived = 1;
  ::_exit(::write(through, &survived, 1) == 1 ? EXIT_SUCCESS : EXIT_FAILURE);
}

/// Whether the other process came to its end. Not its status says so, which nobody gets while SIGCHLD is ignored.
bool has_survived(int from) {
  char survived = 0;
  ssize_t got = 0;
  do got = ::read(from, &survived, 1);
  while (got < 0 && errno == EINTR);
  return got == 1;
}

std::string how_it_ended(pid_t process) {
  int status = 0;
  pid_t ended = 0;
  do ended = ::waitpid(process, &status, 0);
  while (ended < 0 && errno == EINTR);
  if (ended != process || !WIFSIGNALED(status)) return "does not come to an end";
  if (WTERMSIG(status) == SIGXCPU) return fmt::format("is not done within {} s", kMostCpuSeconds);
  return fmt::format("makes HDF5 crash ({})", ::strsignal(WTERMSIG(status)));
}

}  // namespace

void try_reading(const std::string& path) {
  int ends[2];
  if (forbidden || ::pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t process = ::fork();
  if (process == 0) try_and_tell(path, ends[1]);
  ::close(ends[1]);
  const bool survived = process < 0 || has_survived(ends[0]);
  ::close(ends[0]);
  if (process < 0) return;
  const std::string how = how_it_ended(process);
  if (survived) return;
  throw InputError(fmt::format(
      "cannot read '{}': reading its texts {}: the file is damaged; take a copy that is whole, or run again",
      printable_name(path), how));
}

void forbid_trial_readings() { forbidden = true; }

}  // namespace heddle
