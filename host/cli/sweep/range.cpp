#include "host/cli/sweep/range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>

#include "host/base/error.hpp"
#include "kernels/base/types.hpp"

namespace heddle {
namespace {

/// The number digits / 10^decimals, and the unit behind it.
struct Quantity10 {
  i64 digits = 0;
  std::size_t decimals = 0;
  std::string unit;
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Reads "10 us", "\"10 us\"", "-0.5"; nothing without a number at the start, or for one of too many digits.
std::optional<Quantity10> quantity_of(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = trimmed(text.substr(1, text.size() - 2));
  Quantity10 quantity;
  std::string digits;
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  const std::size_t first_digit = at;
  for (; at < text.size() && is_digit(text[at]); ++at) digits += text[at];
  if (at == first_digit) return std::nullopt;
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    for (++at; at < text.size() && is_digit(text[at]); ++at, ++quantity.decimals) digits += text[at];
  }
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), quantity.digits);
  if (error != std::errc()) return std::nullopt;
  if (text.front() == '-') quantity.digits = -quantity.digits;
  quantity.unit = trimmed(text.substr(at));
  const auto in_a_unit = [](unsigned char c) { return std::isalpha(c) != 0 || c == '/' || c == '%'; };
  if (!std::all_of(quantity.unit.begin(), quantity.unit.end(), in_a_unit)) return std::nullopt;
  return quantity;
}

/// The position of `mark` outside of quotes.
std::size_t find_unquoted(std::string_view text, std::string_view mark) {
  bool quoted = false;
  for (std::size_t i = 0; i + mark.size() <= text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && text.substr(i, mark.size()) == mark) return i;
  }
  return std::string_view::npos;
}

[[noreturn]] void bad_range(std::string_view text, const std::string& why) {
  throw ConfigError(fmt::format(
      "\"{}\" begins as a range, but {}; write first..last:step, such as 0.1..0.5:0.1 or 10 us..50 us:10 us", text,
      why));
}

/// Refuses texts that look like a range and would be taken for a word: 1e-1..5e-1:1e-1, true..false.
void refuse_mistaken(std::string_view text, std::string_view first, std::string_view last) {
  const auto is_flag = [](std::string_view word) { return word == "true" || word == "false"; };
  if (is_flag(first) && is_flag(last)) bad_range(text, "flags have no order: write true,false");
  const std::size_t sign = !first.empty() && (first[0] == '-' || first[0] == '+') ? 1 : 0;
  if (first.size() <= sign || !is_digit(first[sign])) return;
  bad_range(text,
            fmt::format("\"{}\" is no number as ranges take it: write 0.1 for 1e-1 (and a text that is meant as it "
                        "is in double quotes)",
                        first));
}

/// The quantity in units of 10^-decimals.
i64 scaled(std::string_view text, const Quantity10& quantity, std::size_t decimals) {
  i64 value = quantity.digits;
  for (std::size_t i = quantity.decimals; i < decimals; ++i) {
    if (__builtin_mul_overflow(value, i64{10}, &value)) bad_range(text, "it has too many digits");
  }
  return value;
}

std::string decimal_text(i64 value, std::size_t decimals, const std::string& unit) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  if (decimals > 0) digits.insert(digits.size() - decimals, ".");
  return (value < 0 ? "-" : "") + digits + (unit.empty() ? "" : " " + unit);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<std::vector<std::string>> range_of(std::string_view text, std::size_t most) {
  const std::size_t dots = find_unquoted(text, "..");
  if (dots == std::string_view::npos) return std::nullopt;
  const auto first = quantity_of(text.substr(0, dots));
  if (!first) {
    refuse_mistaken(text, trimmed(text.substr(0, dots)), trimmed(text.substr(dots + 2)));
    return std::nullopt;  // such as a file name
  }
  std::string_view rest = text.substr(dots + 2);
  const std::size_t colon = find_unquoted(rest, ":");
  const auto last = quantity_of(rest.substr(0, colon));
  if (!last) bad_range(text, fmt::format("\"{}\" is no number", rest.substr(0, colon)));
  Quantity10 one{1, 0, ""};
  const auto step = colon == std::string_view::npos ? one : quantity_of(rest.substr(colon + 1));
  if (!step) bad_range(text, fmt::format("its step \"{}\" is no number", rest.substr(colon + 1)));
  if (colon == std::string_view::npos && (first->decimals + last->decimals > 0 || !(first->unit + last->unit).empty()))
    bad_range(text, "its step is missing, which only whole numbers without unit can do without");
  if (first->unit != last->unit || first->unit != step->unit) bad_range(text, "its parts have different units");

  const std::size_t decimals = std::max({first->decimals, last->decimals, step->decimals});
  const i64 from = scaled(text, *first, decimals), to = scaled(text, *last, decimals),
            by = scaled(text, *step, decimals);
  if (to < from) bad_range(text, fmt::format("{} is below {}", rest.substr(0, colon), text.substr(0, dots)));
  if (by <= 0) bad_range(text, "its step is not above 0");
  const u64 length = static_cast<u64>(to) - static_cast<u64>(from), steps = length / static_cast<u64>(by);
  if (steps >= most) bad_range(text, fmt::format("these are more than {} values", most));
  std::vector<std::string> values;
  for (u64 i = 0; i <= steps; ++i)
    values.push_back(decimal_text(from + static_cast<i64>(i) * by, decimals, first->unit));
  if (length % static_cast<u64>(by) != 0)
    bad_range(text, fmt::format("its steps do not meet the last value: the last one below it is {}", values.back()));
  return values;
}

}  // namespace heddle
