#include "host/cli/sweep/folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

#include "io/checkpoint/slots.hpp"
#include "io/durable.hpp"
#include "io/error.hpp"
#include "io/ordinary_file.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// The size of 10,000 runs with 6 KB of values each.
constexpr u64 kMaxTableBytes = u64{64} << 20;

/// The text of a file, without the byte order mark that some programs for Windows put before UTF-8.
std::string text_of(const fs::path& path) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  OrdinaryFile file(path);
  std::optional<std::string> text = file.read_all(kMaxTableBytes);
  if (text) return text->starts_with(kByteOrderMark) ? text->substr(kByteOrderMark.size()) : *std::move(text);
  throw InputError(
      fmt::format("{}: cannot read this file ({}), so {} is no folder of a sweep; `heddle sweep` writes runs.txt and "
                  "axes.csv with its configurations",
                  path.string(), file.problem(), path.parent_path().string()));
}

std::vector<std::string> names_of_runs(const fs::path& path) {
  std::vector<std::string> names;
  const std::string text = text_of(path);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at - (end > at && text[end - 1] == '\r' ? 1 : 0));
    if (!line.empty()) names.push_back(fs::path(line).stem().string());
    at = end + 1;
  }
  return names;
}

SweepRunState state_of(const std::string& result_path) {
  if (is_there(result_path)) return SweepRunState::ended;
  if (!is_there(result_path + ".part")) return SweepRunState::missing;
  const auto checkpoints = checkpoint_paths(result_path);
  return std::any_of(checkpoints.begin(), checkpoints.end(), is_there) ? SweepRunState::saved : SweepRunState::partial;
}

}  // namespace

std::vector<std::vector<std::string>> csv_rows(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  bool quoted = false, at_start = true;  // state within a row
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (at_start) rows.emplace_back(1);
    at_start = false;
    std::string& field = rows.back().back();
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      rows.back().emplace_back();
    } else if (!quoted && (c == '\n' || (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n'))) {
      at_start = true;
      i += c == '\r' ? 1 : 0;
    } else {
      field += c;
    }
  }
  return rows;
}

SweepFolder read_sweep_folder(const std::string& folder) {
  const fs::path base = folder;
  const std::vector<std::string> names = names_of_runs(base / "runs.txt");
  const std::vector<std::vector<std::string>> table = csv_rows(text_of(base / "axes.csv"));
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format(
        "{}: {}, so it cannot be said which run is which; write the sweep again with `heddle sweep --force`",
        (base / "axes.csv").string(), why));
  };
  if (names.empty() || table.size() != names.size() + 1)
    refuse(fmt::format("{} rows for {} runs in runs.txt", table.empty() ? 0 : table.size() - 1, names.size()));
  constexpr std::array<std::string_view, 3> kColumns = {"run", "config", "result"};  // columns before those of the axes
  constexpr std::size_t kAxes = kColumns.size();
  if (table[0].size() < kAxes || !std::equal(kColumns.begin(), kColumns.end(), table[0].begin()))
    refuse("its columns are not run, config, result and the axes");
  for (auto key = table[0].begin() + kAxes; key != table[0].end(); ++key) {
    if (std::find(table[0].begin(), key, *key) != key) refuse(fmt::format("it has two columns {}", *key));
  }
  SweepFolder sweep{{table[0].begin() + kAxes, table[0].end()}, {}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::vector<std::string>& row = table[i + 1];
    if (row.size() != table[0].size() || row[1] != names[i] + ".toml" || row[2] != names[i] + ".h5")
      refuse(fmt::format("row {} is not that of run {} in runs.txt", i + 1, names[i]));
    SweepEntry run{names[i],
                   sweep.keys,
                   {row.begin() + kAxes, row.end()},
                   (base / (names[i] + ".toml")).string(),
                   (base / (names[i] + ".h5")).string(),
                   (base / (names[i] + ".log")).string()};
    run.state = state_of(run.result_path);
    sweep.runs.push_back(std::move(run));
  }
  return sweep;
}

}  // namespace heddle
