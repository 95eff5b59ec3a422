#include "io/results/trial_reading.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "io/error.hpp"
#include "io/printable.hpp"
#include "io/results/input_file.hpp"
#include "io/results/layout.hpp"
#include "kernels/base/types.hpp"

namespace heddle {
namespace {

bool forbidden = false;

constexpr rlim_t kMaxCpuSeconds = 1;

/// Resets this program's handlers, forbids core dumps, and limits processor time.
void prepare_for_the_worst() {
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) std::signal(number, SIG_DFL);
  const rlimit no_core = {0, 0}, time = {kMaxCpuSeconds, kMaxCpuSeconds + 1};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_CPU, &time);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);  // the C library prints when its heap is corrupted
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
}

void send(int through, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::write(through, bytes.data(), bytes.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) ::_exit(EXIT_FAILURE);  // the reader is gone
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

/// Writes texts, each ended by a zero: names and texts contain none.
void send_texts(int through, const Texts& texts) {
  std::string all;
  for (const auto& [name, text] : texts) all.append(name).append(1, '\0').append(text).append(1, '\0');
  send(through, all);
}

/// Leaves the file open: closing could write this process's copy of its parent's data.
void read_texts(const std::string& path, int through) {
  try {
    const auto* file = new InputFile(path);
    if (file->text_attribute("/", "format") == layout::kFormat) send_texts(through, file->all_texts());
  } catch (const std::exception&) {  // the next reader reports it
  }
}

constexpr char kSurvived = '\1';

[[noreturn]] void try_and_tell(const std::string& path, int through) {
  prepare_for_the_worst();
  read_texts(path, through);
  send(through, {&kSurvived, 1});
  ::_exit(EXIT_SUCCESS);
}

/// Returns the output of the child process until its end.
std::string receive(int from) {
  std::string all;
  std::array<char, 4096> some;
  for (;;) {
    const ssize_t got = ::read(from, some.data(), some.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return all;
    all.append(some.data(), static_cast<size_t>(got));
  }
}

Texts texts_in(std::string_view all) {
  const auto next = [&] {
    const size_t end = all.find('\0');
    std::string word(all.substr(0, end));
    all.remove_prefix(end == std::string_view::npos ? all.size() : end + 1);
    return word;
  };
  Texts texts;
  while (!all.empty()) {
    std::string name = next();
    texts[std::move(name)] = next();
  }
  return texts;
}

std::string how_it_ended(pid_t process) {
  int status = 0;
  pid_t ended = 0;
  do ended = ::waitpid(process, &status, 0);
  while (ended < 0 && errno == EINTR);
  if (ended != process || !WIFSIGNALED(status)) return "does not come to an end";
  if (WTERMSIG(status) == SIGXCPU) return fmt::format("is not done within {} s", kMaxCpuSeconds);
  return fmt::format("makes HDF5 crash ({})", ::strsignal(WTERMSIG(status)));
}

}  // namespace

Texts try_reading(const std::string& path) {
  int ends[2];
  if (forbidden || ::pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t process = ::fork();
  if (process == 0) try_and_tell(path, ends[1]);
  ::close(ends[1]);
  std::string said = process > 0 ? receive(ends[0]) : "";
  ::close(ends[0]);
  if (process < 0) return {};
  const std::string how = how_it_ended(process);
  // The status of the process cannot tell whether it finished: no process receives a status while SIGCHLD is ignored.
  if (!said.empty() && said.back() == kSurvived) {
    said.pop_back();
    return texts_in(said);
  }
  throw InputError(fmt::format(
      "cannot read '{}': reading its texts {}; the file is damaged: take a copy that is whole, or run again",
      printable_name(path), how));
}

void forbid_trial_readings() { forbidden = true; }

}  // namespace heddle
