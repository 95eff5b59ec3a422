#include "host/cli/python_tools.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "host/cli/exit_codes.hpp"
#include "host/error.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr std::array kTools = {
    PythonTool{"report", "one page of HTML about a run, or several side by side, that opens anywhere"},
    PythonTool{"plot", "one figure of a run for a paper: PNG, SVG or PDF"},
    PythonTool{"trace", "a run as a trace for Perfetto"},
    PythonTool{"watch", "how far a run or a sweep is, while it goes on"},
};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string interpreter() {
  if (std::string named = variable("HEDDLE_PYTHON"); !named.empty()) return named;
  if (const std::string environment = variable("VIRTUAL_ENV"); !environment.empty())
    return environment + "/bin/python3";
  std::error_code unknown;
  return fs::exists("/usr/bin/python3", unknown) ? "/usr/bin/python3" : "python3";
}

/// io/python of the tree that this program was built in (build/PRESET/bin/heddle); "": it is not there.
std::string package_beside_program() {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  if (unknown) return "";
  const fs::path folder = (program.parent_path() / "../../../io/python").lexically_normal();
  return fs::exists(folder / "heddle" / "__init__.py", unknown) ? folder.string() : "";
}

/// While the child runs, Ctrl-C is for it alone.
class IgnoredInterrupt {
 public:
  IgnoredInterrupt() : before_(std::signal(SIGINT, SIG_IGN)) {}
  ~IgnoredInterrupt() { std::signal(SIGINT, before_); }
  IgnoredInterrupt(const IgnoredInterrupt&) = delete;
  IgnoredInterrupt& operator=(const IgnoredInterrupt&) = delete;

 private:
  void (*before_)(int);
};

/// The exit code of a program, 128 + its signal when one ended it. Throws ConfigError when it cannot be started.
int run(const std::vector<std::string>& words, bool silent) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &interrupt);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (silent) {
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_WRONLY, 0);
  }
  const IgnoredInterrupt ignored;
  pid_t child = 0;
  const int problem = posix_spawnp(&child, words[0].c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (problem != 0) {
    throw ConfigError(
        fmt::format("python3: {} cannot be started: {}. This command is written in Python: install python3 "
                    "(./bootstrap.sh deps), or "
                    "name another one with the variable HEDDLE_PYTHON",
                    words[0], std::strerror(problem)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::span<const PythonTool> python_tools() { return kTools; }

int command_python(std::string_view name, const std::vector<std::string>& words) {
  const std::string python = interpreter(), beside = package_beside_program();
  if (!beside.empty()) {
    const std::string others = variable("PYTHONPATH");
    setenv("PYTHONPATH", (others.empty() ? beside : beside + ":" + others).c_str(), 1);
  }
  constexpr const char* kHasPackage =
      "import importlib.util, sys; sys.exit(importlib.util.find_spec('heddle') is None)";
  if (run({python, "-c", kHasPackage}, true) != 0) {
    throw ConfigError(fmt::format(
        "heddle {}: {} has no package \"heddle\", in which this command is written. Install it with `pip install "
        "./io/python` from Heddle's tree, or name the python3 that has it with the variable HEDDLE_PYTHON",
        name, python));
  }
  std::vector<std::string> all = {python, "-m", "heddle", std::string(name)};
  all.insert(all.end(), words.begin(), words.end());
  return run(all, false);
}

}  // namespace heddle
