#include "io/formats/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "io/ordinary_file.hpp"
#include "io/printable.hpp"

namespace heddle {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // as some editors begin a UTF-8 text

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string read_all(const std::string& path) {
  OrdinaryFile file(path);
  std::optional<std::string> text = file.read_all(kMaxTextBytes);
  if (!text) throw InputError(fmt::format("cannot read '{}': {}", path, file.problem()));
  return *std::move(text);
}

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// The number of the last line that is not blank; 0: there is none.
u32 last_line_of(std::string_view text) {
  while (!text.empty() && (blank(text.back()) || text.back() == '\n')) text.remove_suffix(1);
  return text.empty() ? 0 : static_cast<u32>(std::ranges::count(text, '\n')) + 1;
}

TextLine split(std::string_view text, u32 number, std::string_view separators) {
  const auto separator = [&](char c) { return separators.find(c) != std::string_view::npos; };
  TextLine line{{}, text, number};
  size_t at = 0;
  while (at < text.size()) {
    while (at < text.size() && blank(text[at])) ++at;
    size_t end = at;
    // With separators, blanks belong to the word and empty words count; without, blanks separate.
    if (separators.empty()) {
      while (end < text.size() && !blank(text[end])) ++end;
      if (end > at) line.fields.push_back({text.substr(at, end - at), number, static_cast<u32>(at + 1)});
      at = end;
      continue;
    }
    while (end < text.size() && !separator(text[end])) ++end;
    size_t stop = end;
    while (stop > at && blank(text[stop - 1])) --stop;
    line.fields.push_back({text.substr(at, stop - at), number, static_cast<u32>(at + 1)});
    at = end + 1;
    if (end + 1 == text.size()) line.fields.push_back({{}, number, static_cast<u32>(at + 1)});
  }
  while (!line.text.empty() && blank(line.text.back())) line.text.remove_suffix(1);
  return line;
}

}  // namespace

TextFile::TextFile(std::string path, std::string_view separators)
    : path_(std::move(path)), content_(read_all(path_)), separators_(separators), rest_(content_) {
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  last_line_ = last_line_of(rest_);
  advance();
}

void TextFile::advance() {
  at_end_ = true;
  while (!rest_.empty() && at_end_) {
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    next_ = split(rest_.substr(0, end), ++number_, separators_);
    at_end_ = next_.text.empty();
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
  }
}

TextLine TextFile::take(std::string_view what) {
  if (at_end()) fail(last_line() + 1, 1, fmt::format("the file ends where {} was expected; it may be truncated", what));
  TextLine line = std::move(next_);
  advance();
  return line;
}

void TextFile::forget() {
  std::string().swap(content_);
  rest_ = {};
  next_ = {};
  at_end_ = true;
}

void TextFile::take_header(std::string_view columns) {
  const TextLine head = take("the header line");
  if (head.text != columns)
    fail(head.number, 1, fmt::format("the header is '{}', but must be '{}'", excerpt(head.text), columns));
}

void TextFile::fail(const Field& at, std::string_view problem) const { fail(at.line, at.column, problem); }

void TextFile::fail(u32 line, u32 column, std::string_view problem) const {
  throw InputError(fmt::format("{}:{}:{}: {}", path_, line, column, problem));
}

u64 TextFile::number(const Field& field, std::string_view name, u64 min, u64 max, std::string_view unit) const {
  u64 value = 0;
  const char* end = field.text.data() + field.text.size();
  const auto [stop, error] = std::from_chars(field.text.data(), end, value);
  const std::string suffix = unit.empty() ? "" : fmt::format(" ({})", unit);
  if (error == std::errc::invalid_argument || stop != end) {
    fail(field, fmt::format("{}{} is '{}', not a whole number without sign; write digits only", name, suffix,
                            excerpt(field.text)));
  }
  if (error != std::errc{} || value < min || value > max) {
    fail(field, fmt::format("{}{} is {}, outside the range {} to {}", name, suffix, excerpt(field.text), min, max));
  }
  return value;
}

void TextFile::expect_fields(const TextLine& line, std::string_view names, size_t count) const {
  if (line.fields.size() == count) return;
  const u32 column = line.fields.size() > count ? line.fields[count].column : static_cast<u32>(line.text.size() + 1);
  fail(line.number, column, fmt::format("{} values where {} are expected: {}", line.fields.size(), count, names));
}

namespace {

/// Digits and the power of ten of the last one.
struct Digits {
  std::string digits;
  int exponent = 0;
  bool valid = false;
};

Digits digits_of(std::string_view text) {
  Digits d;
  size_t at = 0;
  bool point = false;
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.') {
      point = true;
      continue;
    }
    d.digits += text[at];
    d.exponent -= point ? 1 : 0;
  }
  d.valid = !d.digits.empty();
  if (at == text.size()) return d;
  if (text[at] != 'e' && text[at] != 'E') return {};
  const char* from = text.data() + at + 1;
  const char* end = text.data() + text.size();
  if (end - from > 1 && *from == '+' && is_digit(from[1])) ++from;
  int shift = 0;
  const auto [stop, error] = std::from_chars(from, end, shift);
  if (error != std::errc{} || stop != end || shift > 1000 || shift < -1000) return {};
  d.exponent += shift;
  return d;
}

}  // namespace

Decimal parse_decimal(std::string_view text, int exponent) {
  Digits d = digits_of(text);
  if (!d.valid) return {0, DecimalError::malformed};
  int shift = d.exponent + exponent;
  while (shift < 0 && !d.digits.empty() && d.digits.back() == '0') {
    d.digits.pop_back();
    ++shift;
  }
  d.digits.erase(0, d.digits.find_first_not_of('0'));
  if (d.digits.empty()) return {};  // zero, at whatever power
  if (shift < 0) return {0, DecimalError::too_fine};
  if (d.digits.size() + static_cast<size_t>(shift) > 20) return {0, DecimalError::too_large};
  d.digits.append(static_cast<size_t>(shift), '0');
  u64 value = 0;
  const auto [stop, error] = std::from_chars(d.digits.data(), d.digits.data() + d.digits.size(), value);
  if (error != std::errc{}) return {0, DecimalError::too_large};
  return {value};
}

}  // namespace heddle
