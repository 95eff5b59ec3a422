#include "io/shell_word.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "kernels/base/types.hpp"

namespace heddle {
namespace {

bool is_control(char c) { return static_cast<u8>(c) < 0x20 || c == 0x7f; }

/// Bytes of letters beyond ASCII are no signs of a shell.
bool is_plain(char c) {
  constexpr std::string_view kPlain = "_@%+=:,./-";
  return std::isalnum(static_cast<u8>(c)) != 0 || static_cast<u8>(c) >= 0x80 ||
         kPlain.find(c) != std::string_view::npos;
}

std::string with_escapes(std::string_view text) {
  std::string word = "$'";
  for (const char c : text) {
    if (c == '\n') {
      word += "\\n";
    } else if (is_control(c)) {
      word += fmt::format("\\x{:02x}", static_cast<u8>(c));
    } else {
      if (c == '\'' || c == '\\') word += '\\';
      word += c;
    }
  }
  return word + "'";
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  if (std::any_of(text.begin(), text.end(), is_control)) return with_escapes(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

}  // namespace heddle
