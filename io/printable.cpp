#include "io/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/types.hpp"

namespace heddle {
namespace {

/// Bytes of the well-formed UTF-8 character at the start of `text`, 0 where there is none.
size_t character_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<u8>(text[i]) : u8{0}; };
  const auto follows = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const u8 first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0, surrogate = first == 0xed && byte(1) >= 0xa0;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  const bool overlong = first == 0xf0 && byte(1) < 0x90, beyond = first == 0xf4 && byte(1) >= 0x90;
  const bool possible = first >= 0xf0 && first <= 0xf4 && !overlong && !beyond;
  return possible && follows(1) && follows(2) && follows(3) ? 4 : 0;
}

bool is_control(std::string_view character) {
  const u8 first = static_cast<u8>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return character.size() == 2 && first == 0xc2 && static_cast<u8>(character[1]) < 0xa0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = character_length(text.substr(at));
    const std::string_view character = text.substr(at, length == 0 ? 1 : length);
    at += character.size();
    if (character == "\n" || (length != 0 && !is_control(character))) {
      out += character;
    } else if (character == "\t") {
      out += "\\t";
    } else {
      for (const char c : character) out += fmt::format("\\x{:02x}", static_cast<u8>(c));
    }
  }
  return out;
}

std::string printable_name(std::string_view name) {
  std::string out;
  for (const char c : printable(name)) out += c == '\n' ? "\\n" : std::string(1, c);
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string excerpt(std::string_view name) {
  constexpr u32 kMaxCharacters = 60;
  size_t end = 0;
  for (u32 i = 0; i < kMaxCharacters && end < name.size(); ++i)
    end += std::max<size_t>(character_length(name.substr(end)), 1);
  return printable_name(name.substr(0, end)) + (end < name.size() ? "..." : "");
}

}  // namespace heddle
