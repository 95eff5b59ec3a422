#include "io/results/replaced_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "io/durable.hpp"
#include "io/error.hpp"
#include "io/ordinary_file.hpp"
#include "io/results/input_file.hpp"
#include "io/results/layout.hpp"

namespace heddle {
namespace {

/// Explains why a file is no result; "" for a result of `heddle run`, and for an empty file, in which nothing can be
/// lost.
std::string why_no_result(const std::string& path) {
  const OrdinaryFile file(path);
  if (!file.problem().empty()) return file.problem();
  if (file.bytes() == 0) return "";
  try {
    if (InputFile(path).text_attribute("/", "format") == layout::kFormat) return "";
  } catch (const InputError&) {
    return "it is no result of 'heddle run', or a damaged one";
  }
  return "it is no result of 'heddle run'";
}

/// Whether every word of a line is a number of this base, and the line has `count` words.
bool has_numbers(std::string_view line, size_t count) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  size_t words = 0;
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at);
    if (word.empty() || word.find_first_not_of(kDigits) != std::string_view::npos) return false;
    ++words;
    at = end + 1;
  }
  return words == count;
}

/// Explains why a file is no text export; "" when its first line is `columns` numbers, or it is empty.
std::string why_no_export(const std::string& path, size_t columns) {
  const OrdinaryFile file(path);
  if (!file.problem().empty()) return file.problem();
  std::array<char, 256> begin = {};
  const ssize_t got = ::pread(file.descriptor(), begin.data(), begin.size(), 0);
  if (got < 0) return std::strerror(errno);
  const std::string_view text(begin.data(), static_cast<size_t>(got));
  if (text.empty() || has_numbers(text.substr(0, text.find('\n')), columns)) return "";
  return fmt::format("it is no export of 'heddle run', whose lines have {} numbers", columns);
}

void refuse_foreign(const std::string& path, const std::string& why, std::string_view named_by) {
  if (why.empty()) return;
  throw OutputError(
      fmt::format("cannot write results to '{}': it is there already, and {}, so --force does not replace it; nothing "
                  "has been run; remove it by hand if it is not needed, or choose another path with {}",
                  path, why, named_by));
}

}  // namespace

void refuse_foreign_result(const std::string& path, std::string_view named_by) {
  if (is_there(path)) refuse_foreign(path, why_no_result(path), named_by);
}

void refuse_to_replace_at_the_end(const std::string& path, const std::string& part_path) {
  throw OutputError(fmt::format(
      "a file has come to the name '{0}' while the run went on, and it is not replaced: the results are whole "
      "in '{1}'; give that a name of its own, or move the other file away first",
      path, part_path));
}

void refuse_foreign_at_the_end(const std::string& path, const std::string& part_path) {
  if (is_there(path) && !why_no_result(path).empty()) refuse_to_replace_at_the_end(path, part_path);
}

void refuse_foreign_export(const std::string& path, size_t columns, std::string_view named_by) {
  if (is_there(path)) refuse_foreign(path, why_no_export(path, columns), named_by);
}

}  // namespace heddle
