#include "host/cli/sweep/leftovers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <system_error>

#include "host/base/quantity_text.hpp"
#include "host/cli/sweep/foreign.hpp"
#include "io/error.hpp"
#include "io/ordinary_file.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// The leftover files of one run.
struct Leftover {
  bool config = false, log = false;
  std::string result;  // another of its files; empty: there is none
};

bool all_of(const std::string& text, int (*test)(int)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](unsigned char c) { return test(c) != 0; });
}

[[noreturn]] void cannot_look_into(const fs::path& folder, const std::error_code& error) {
  throw IoError(fmt::format("{}: cannot look into this folder: {}", folder.string(), error.message()));
}

/// Files whose names begin with the number of a run and a dot, by that number as written.
std::map<std::string, Leftover> by_run(const fs::path& folder) {
  std::map<std::string, Leftover> found;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::directory_entry& entry = *entries;
    const std::string file = entry.path().filename().string();
    const std::size_t dot = file.find('.');
    if (dot == std::string::npos || !all_of(file.substr(0, dot), std::isdigit)) continue;
    Leftover& leftover = found[file.substr(0, dot)];
    if (file.substr(dot) == ".toml") {
      leftover.config = true;
    } else if (file.substr(dot) == ".log") {
      leftover.log = true;
    } else {
      leftover.result = std::max(leftover.result, entry.path().string());
    }
  }
  if (error) cannot_look_into(folder, error);
  return found;
}

/// The configuration without the comment in its first line, which tells the size of the sweep.
std::string configured(const std::string& text) { return text.substr(std::min(text.find('\n'), text.size())); }

bool same_run(const fs::path& folder, const std::string& name, const SweepFiles& files) {
  const auto now = files.texts.find(name + ".toml");
  const std::string before = OrdinaryFile(folder / (name + ".toml")).read_all(kMaxTextBytes).value_or("");
  return now != files.texts.end() && configured(before) == configured(now->second);
}

/// Adds the copies that sweep_inputs names: ..._0123456789abcdef.txt
void add_inputs(const fs::path& folder, const SweepFiles& files, std::vector<fs::path>& leftovers) {
  std::error_code error;
  if (!fs::is_directory(folder / "inputs", error)) return;
  constexpr std::size_t kHashDigits = 16;
  fs::directory_iterator entries(folder / "inputs", error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::directory_entry& entry = *entries;
    const std::string stem = entry.path().stem().string();
    const std::size_t line = stem.rfind('_');
    const bool ours = line != std::string::npos && stem.size() == line + 1 + kHashDigits &&
                      all_of(stem.substr(line + 1), std::isxdigit);
    if (ours && !files.copies.contains("inputs/" + entry.path().filename().string())) leftovers.push_back(entry.path());
  }
  if (error) cannot_look_into(folder / "inputs", error);
}

}  // namespace

std::vector<fs::path> leftovers_in(const fs::path& folder, const SweepFiles& files) {
  refuse_foreign_files(folder, files);
  std::vector<fs::path> leftovers;
  std::string first;
  std::size_t results = 0;
  for (const auto& [name, leftover] : by_run(folder)) {
    if (same_run(folder, name, files)) continue;
    if (!leftover.result.empty() && results++ == 0) first = leftover.result;
    if (leftover.config && !files.texts.contains(name + ".toml")) leftovers.push_back(folder / (name + ".toml"));
    if (leftover.config && leftover.log) leftovers.push_back(folder / (name + ".log"));
  }
  if (results > 0) {
    throw IoError(
        fmt::format("{}: {} of an earlier sweep, which this one does not have or configures otherwise, left "
                    "results here, such as {}; they would be taken for those of this sweep, and --force removes no "
                    "result: name another folder with -o, or remove or move these files",
                    folder.string(), counted(results, "run"), first));
  }
  add_inputs(folder, files, leftovers);
  return leftovers;
}

void remove_leftovers(const std::vector<fs::path>& leftovers) {
  for (const fs::path& path : leftovers) {
    std::error_code error;
    fs::remove(path, error);
    if (error) throw IoError(fmt::format("{}: cannot remove it: {}", path.string(), error.message()));
  }
}

}  // namespace heddle
