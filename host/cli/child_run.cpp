#include "host/cli/child_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "host/cli/ranks.hpp"
#include "io/error.hpp"

namespace heddle {
namespace {

/// The running program file, even if another file has taken its name since.
constexpr const char* kThisProgram = "/proc/self/exe";

/// Runs between fork and exec with all signals blocked until our handlers are gone; `mask`: the child's.
[[noreturn]] void become(char* const* arguments, int log, pid_t parent, const sigset_t& mask) {
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) std::signal(number, SIG_DFL);
  if (std::signal(SIGHUP, SIG_DFL) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(EXIT_FAILURE);  // the parent ended before prctl()
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  forget_launcher();
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execv(kThisProgram, arguments);
  ::dprintf(STDERR_FILENO, "error: cannot start %s: %s\n", kThisProgram, std::strerror(errno));
  ::_exit(EXIT_FAILURE);
}

}  // namespace

ChildRun::ChildRun(const std::vector<std::string>& arguments, const std::string& log_path)
    : log_path_(log_path), start_(std::chrono::steady_clock::now()) {
  const int log = ::open(log_path.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0666);
  if (log < 0) throw OutputError(fmt::format("{}: cannot write this log: {}", log_path, std::strerror(errno)));
  log_begin_ = ::lseek(log, 0, SEEK_END);
  std::vector<std::string> words = {"heddle"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  sigset_t all, former;
  sigfillset(&all);
  const pid_t parent = ::getpid();
  ::sigprocmask(SIG_SETMASK, &all, &former);  // a signal before exec would reach our handlers and be lost
  process_ = ::fork();
  if (process_ == 0) {
    sigdelset(&former, SIGCHLD);
    become(pointers.data(), log, parent, former);
  }
  const int error = errno;
  ::sigprocmask(SIG_SETMASK, &former, nullptr);
  ::close(log);
  if (process_ < 0) throw OutputError(fmt::format("cannot start another process: {}", std::strerror(error)));
}

void ChildRun::send(int signal) const { ::kill(process_, signal); }

std::optional<ChildEnd> ChildRun::poll() {
  int status = 0;
  if (::waitpid(process_, &status, WNOHANG) != process_) return std::nullopt;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (WIFSIGNALED(status)) return ChildEnd{0, WTERMSIG(status), seconds};
  return ChildEnd{WEXITSTATUS(status), 0, seconds};
}

std::string ChildRun::log_tail(std::size_t most) const {
  std::error_code error;
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(log_path_, error));
  if (error) return "";
  std::ifstream log(log_path_, std::ios::binary);
  log.seekg(std::max(log_begin_, size - static_cast<std::int64_t>(most)));
  return {std::istreambuf_iterator<char>(log), {}};
}

ChildSignals::ChildSignals() {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child, &former_);
}

ChildSignals::~ChildSignals() { ::sigprocmask(SIG_SETMASK, &former_, nullptr); }

void ChildSignals::wait(std::chrono::milliseconds most) const {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const timespec time = {most.count() / 1000, most.count() % 1000 * 1'000'000};
  ::sigtimedwait(&child, nullptr, &time);
}

}  // namespace heddle
