// A process of its own for what must not happen to the tests' process.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "kernels/base/types.hpp"

namespace heddle::test {

/// Runs `body` in a child process and returns its exit status; 128 + signal when one ended it, 9 when it threw. The
/// child ends without cleaning up, as if it were killed then.
template <class Body>
int in_child(const Body& body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    int status = 9;
    try {
      status = body();
    } catch (...) {
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// A limit on file sizes stands in for a full disk: write() fails in the same way. A later call may raise it again.
inline void limit_file_size(u64 bytes) {
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace heddle::test
