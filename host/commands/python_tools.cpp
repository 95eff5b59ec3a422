#include "host/commands/python_tools.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "host/base/error.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr std::array kTools = {
    PythonTool{"report", "one page of HTML about a run, or several side by side, that opens anywhere"},
    PythonTool{"plot", "one figure of a run for a paper: PNG, SVG or PDF"},
    PythonTool{"trace", "a run as a trace for Perfetto"},
    PythonTool{"step", "how long a training step takes, by its parts, with an interval"},
    PythonTool{"watch", "how far a run or a sweep is, while it goes on"},
};

/// Reports missing modules before anything else is imported, then runs `python3 -m heddle`.
constexpr const char* kStart = R"(
import importlib.util, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
def refuse(why):
    print(f"error: heddle {sys.argv[1]} is written in Python, and {sys.executable} {why}; or name another python3 with the variable "
          "HEDDLE_PYTHON", file=sys.stderr)
    sys.exit(2)
if sys.version_info < (3, 11):
    refuse(f"is Python {sys.version_info[0]}.{sys.version_info[1]}, older than 3.11: install a newer one")
if importlib.util.find_spec("heddle") is None:
    refuse("has no package heddle: install it with `pip install ./io/python` from Heddle's tree")
missing = [name for name in ("h5py", "numpy", "pandas", "xarray") if importlib.util.find_spec(name) is None]
if missing:
    refuse(f"lacks {', '.join(missing)}: install them with ./bootstrap.sh deps or `pip install ./io/python`")
import heddle.__main__
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv[0] = "heddle"
sys.exit(heddle.__main__.main())
)";

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

/// Checks that the variable names a Python: another program may end without a message.
void check_named_interpreter() {
  const std::string named = variable("HEDDLE_PYTHON");
  if (named.empty()) return;
  constexpr int kAnswer = 76;
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
    ::execlp(named.c_str(), named.c_str(), "-c", "import sys; sys.exit(76)", nullptr);
    ::_exit(errno == 0 ? EXIT_FAILURE : kAnswer);  // cannot be started: become_python() reports why
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kAnswer) return;
  throw ConfigError(
      fmt::format("HEDDLE_PYTHON={}: is no Python: asked to end with {} it {}; give the path of a python3, 3.11 or "
                  "newer, or unset it",
                  named, kAnswer,
                  WIFEXITED(status) ? fmt::format("ended with {}", WEXITSTATUS(status))
                                    : fmt::format("was ended by signal {}", WTERMSIG(status))));
}

/// The folder of the package: io/python of the tree that this program was built in (build/PRESET/bin/heddle), or
/// share/heddle/python beside the bin of an installed one; "" where it is in neither.
std::string package_beside_program() {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  if (unknown) return "";
  for (const char* beside : {"../../../io/python", "../share/heddle/python"}) {
    const fs::path folder = (program.parent_path() / beside).lexically_normal();
    if (fs::exists(folder / "heddle" / "__init__.py", unknown)) return folder.string();
  }
  return "";
}

}  // namespace

std::span<const PythonTool> python_tools() { return kTools; }

void become_python(std::string_view name, const std::vector<std::string>& words) {
  check_named_interpreter();
  if (const std::string beside = package_beside_program(); !beside.empty()) {
    const std::string others = variable("PYTHONPATH");
    setenv("PYTHONPATH", (others.empty() ? beside : beside + ":" + others).c_str(), 1);
  }
  setenv("PYTHONSAFEPATH", "1", 1);  // nothing is imported from the current folder
  std::vector<std::string> all = {interpreter(), "-c", kStart, std::string(name)};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  arguments.reserve(all.size() + 1);
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  execvp(arguments[0], arguments.data());
  throw ConfigError(fmt::format(
      "heddle {} is written in Python, and {} cannot be started: {}. Install python3 (./bootstrap.sh deps), or name "
      "another one with the variable HEDDLE_PYTHON",
      name, all[0], std::strerror(errno)));
}

}  // namespace heddle
