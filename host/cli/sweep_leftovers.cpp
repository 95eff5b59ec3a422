#include "host/cli/sweep_leftovers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <system_error>

#include "io/error.hpp"
#include "io/ordinary_file.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

struct Leftover {
  bool config = false;
  std::string result;  // one of its files that are no configuration; empty: there is none
};

/// Files whose names begin with the number of a run and a dot, by that number as it is written.
std::map<std::string, Leftover> leftovers_in(const fs::path& folder) {
  std::map<std::string, Leftover> found;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::directory_entry& entry = *entries;
    const std::string file = entry.path().filename().string();
    const std::size_t dot = file.find('.');
    const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
    if (dot == 0 || dot == std::string::npos ||
        !std::all_of(file.begin(), file.begin() + static_cast<long>(dot), is_digit))
      continue;
    Leftover& leftover = found[file.substr(0, dot)];
    if (file.substr(dot) == ".toml") {
      leftover.config = true;
    } else {
      leftover.result = std::max(leftover.result, entry.path().string());
    }
  }
  if (error) throw IoError(fmt::format("{}: cannot look into this folder: {}", folder.string(), error.message()));
  return found;
}

/// Without the comment in the first line, which says how large the sweep is.
std::string configured(const std::string& text) { return text.substr(std::min(text.find('\n'), text.size())); }

bool same_run(const fs::path& folder, const std::string& name, const std::map<std::string, std::string>& texts) {
  const auto now = texts.find(name);
  const std::string before = OrdinaryFile(folder / (name + ".toml")).read_all(kMostTextBytes).value_or("");
  return now != texts.end() && configured(before) == configured(now->second);
}

}  // namespace

void remove_leftovers(const fs::path& folder, const std::map<std::string, std::string>& texts) {
  const std::map<std::string, Leftover> found = leftovers_in(folder);
  std::string first;
  std::size_t results = 0;
  for (const auto& [name, leftover] : found) {
    if (leftover.result.empty() || same_run(folder, name, texts)) continue;
    if (results++ == 0) first = leftover.result;
  }
  if (results > 0) {
    throw IoError(
        fmt::format("{}: {} runs of an earlier sweep that this one does not have, or configures otherwise, have left "
                    "results here, such as {}; they would be taken for those of this sweep, and --force removes no "
                    "result: name another folder with -o, or remove or move these files",
                    folder.string(), results, first));
  }
  for (const auto& [name, leftover] : found) {
    if (!leftover.config || texts.contains(name)) continue;
    std::error_code error;
    fs::remove(folder / (name + ".toml"), error);
    if (error) throw IoError(fmt::format("{}/{}.toml: cannot remove it: {}", folder.string(), name, error.message()));
  }
}

}  // namespace heddle
