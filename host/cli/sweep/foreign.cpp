#include "host/cli/sweep/foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <system_error>

#include "io/durable.hpp"
#include "io/error.hpp"
#include "io/ordinary_file.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstColumns = "run,config,result";  // header of axes.csv

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Whether a text begins as the configuration of a run: "# run 3 of 8 of ..."
bool begins_as_run(std::string_view text) {
  for (const std::string_view word : {"# run ", " of "}) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0) return false;
    text.remove_prefix(digits);
  }
  return text.starts_with(" of ");
}

/// Whether every line is the name of a configuration: 07.toml
bool lists_runs(std::string_view text) {
  constexpr std::string_view kEnding = ".toml";
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.ends_with(kEnding) || !is_number(line.substr(0, line.size() - kEnding.size()))) return false;
  }
  return true;
}

/// "" for a file that a sweep has written under this name, and for an empty file; else why it is neither.
std::string why_foreign(const fs::path& path, bool (*is_ours)(std::string_view), const char* what) {
  OrdinaryFile file(path);
  const std::optional<std::string> text = file.read_all(kMaxConfigBytes);
  if (!text) return file.problem();
  return text->empty() || is_ours(*text) ? "" : what;
}

bool same_bytes(const fs::path& a, const fs::path& b) {
  OrdinaryFile first(a), second(b);
  const std::optional<std::string> of_first = first.read_all(kMaxTextBytes), of_second = second.read_all(kMaxTextBytes);
  return of_first && of_first == of_second;
}

void refuse(const fs::path& path, const std::string& why) {
  if (why.empty()) return;
  throw IoError(fmt::format(
      "{}: is there already, and {}, so --force does not replace it; nothing of the sweep was written; move "
      "it away if the sweep is to lie here, or name another folder with -o",
      path.string(), why));
}

std::string why_foreign_run(const fs::path& path) {
  return why_foreign(path, begins_as_run, "its first line is not that of a configuration made by `heddle sweep`");
}

}  // namespace

std::string first_line_of_run(std::size_t index, std::size_t runs, const std::string& source,
                              const std::string& which) {
  return fmt::format("# run {} of {} of {}:{}\n", index, runs, source, which);
}

void refuse_foreign_files(const fs::path& folder, const SweepFiles& files) {
  const auto begins_as_table = [](std::string_view text) { return text.starts_with(kFirstColumns); };
  const fs::path table = folder / "axes.csv", names = folder / "runs.txt";
  if (is_there(table)) refuse(table, why_foreign(table, begins_as_table, "it is no table of a sweep's axes"));
  if (is_there(names)) refuse(names, why_foreign(names, lists_runs, "it is no list of a sweep's configurations"));
  for (const auto& [name, from] : files.copies) {
    const fs::path path = folder / name;
    if (is_there(path) && !same_bytes(path, from)) refuse(path, "it is no copy of " + from.string());
  }
  std::error_code error;  // an unreadable folder is refused by the search for leftovers
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const fs::path& path = entry->path();
    if (!is_number(path.stem().string())) continue;
    if (path.extension() == ".toml") refuse(path, why_foreign_run(path));
    const fs::path config = fs::path(path).replace_extension(".toml");
    if (path.extension() == ".log" && files.texts.contains(config.filename().string()) && !is_there(config))
      refuse(path, fmt::format("it would be the log of {}, which is not there", config.filename().string()));
  }
}

}  // namespace heddle
