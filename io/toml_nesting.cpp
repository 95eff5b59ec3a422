#include "io/toml_nesting.hpp"

#include <algorithm>

namespace heddle {
namespace {

/// Where the string ends that begins at `begin` with its quote: behind the closing quote, or at the line feed that a
/// string of one line may not have.
std::size_t end_of_string(std::string_view toml, std::size_t begin) {
  const char quote = toml[begin];
  const auto quotes_at = [&](std::size_t at) {
    std::size_t count = 0;
    while (at + count < toml.size() && toml[at + count] == quote) ++count;
    return count;
  };
  const std::size_t opening = quotes_at(begin);
  if (opening == 2) return begin + 2;  // an empty string
  const bool over_lines = opening > 2;
  for (std::size_t at = begin + (over_lines ? 3 : 1); at < toml.size(); ++at) {
    if (toml[at] == '\n' && !over_lines) return at;
    if (toml[at] == '\\' && quote == '"') {
      ++at;
    } else if (toml[at] == quote) {
      if (!over_lines) return at + 1;
      const std::size_t closing = quotes_at(at);
      if (closing >= 3) return at + std::min<std::size_t>(closing, 5);  // two may stand before the three that close
      at += closing - 1;
    }
  }
  return toml.size();
}

}  // namespace

std::optional<std::size_t> line_nested_too_deep(std::string_view toml) {
  std::size_t parts = 1, depth = 0;
  for (std::size_t at = 0; at < toml.size();) {
    const char c = toml[at];
    if (c == '"' || c == '\'') {
      at = end_of_string(toml, at);
      continue;
    }
    if (c == '#') {
      at = std::min(toml.find('\n', at), toml.size());
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (c == '.') {
      ++parts;
    } else if (std::string_view("\n,=[]{}").find(c) != std::string_view::npos) {
      parts = 1;
    }
    if (parts > kMaxTomlNesting || depth > kMaxTomlNesting)
      return 1 +
             static_cast<std::size_t>(std::count(toml.begin(), toml.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    ++at;
  }
  return std::nullopt;
}

}  // namespace heddle
