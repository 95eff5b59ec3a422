#include "tests/property/sandbox.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

namespace heddle::property {
namespace {

[[noreturn]] void answer(const std::function<bool()>& question, std::chrono::seconds limit) {
  limit_time(limit);
  int status = 2;  // status of a `question` that throws
  try {
    status = question() ? 0 : 1;
  } catch (...) {
  }
  _exit(status);  // without the parent's exit handlers and buffers
}

}  // namespace

void limit_time(std::chrono::seconds limit) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);  // hundreds of crashes are expected while a world is made small
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  rlimit processor;
  getrlimit(RLIMIT_CPU, &processor);
  const i64 used_s = used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1;  // rounded up
  processor.rlim_cur = std::min(processor.rlim_max, static_cast<rlim_t>(used_s + limit.count()));
  setrlimit(RLIMIT_CPU, &processor);
  std::signal(SIGXCPU, SIG_DFL);
  std::signal(SIGALRM, SIG_DFL);
  alarm(static_cast<unsigned>(10 * limit.count()));
}

ChildEnd ask_in_child(const std::function<bool()>& question, std::chrono::seconds limit) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot start a process for one world");
  if (child == 0) answer(question, limit);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "lost the process of one world");
  }
  if (WIFSIGNALED(status)) {
    const bool out_of_time = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM;
    return out_of_time ? ChildEnd::too_long : ChildEnd::crashed;
  }
  if (WEXITSTATUS(status) > 1) return ChildEnd::crashed;
  return WEXITSTATUS(status) == 0 ? ChildEnd::returned_true : ChildEnd::returned_false;
}

}  // namespace heddle::property
