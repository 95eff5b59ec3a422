// Commands written in Python (io/python): report, plot, trace, step, watch; and compare, for steps.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// A command in Python, as `heddle --help` lists it.
struct PythonTool {
  std::string_view name, help;
};

std::span<const PythonTool> python_tools();

/// Replaces this process by `python3 -m heddle NAME WORDS...`, so its exit code is that of the command. The interpreter
/// is $HEDDLE_PYTHON, that of an active virtual environment, /usr/bin/python3, or the first python3 of PATH. The
/// package is the one of the tree that the program was built in, else one that is installed. Returns only by throwing
/// ConfigError: there is no interpreter.
[[noreturn]] void become_python(std::string_view name, const std::vector<std::string>& words);

}  // namespace heddle
