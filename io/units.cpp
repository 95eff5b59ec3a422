#include "io/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <span>

namespace heddle {
namespace {

__extension__ using Int128 = __int128;  // exact products of a number and its unit

struct Unit {
  std::string_view name;
  i64 scale;     // base units in one
  bool written;  // used by format_quantity; the others are spellings that are only read
};

// Small to large: format_quantity and human_quantity count on it.
constexpr std::array kTimeUnits = {Unit{"ps", 1, true}, Unit{"ns", 1'000, true}, Unit{"us", 1'000'000, true},
                                   Unit{"ms", 1'000'000'000, true}, Unit{"s", 1'000'000'000'000, true}};
constexpr std::array kByteUnits = {Unit{"B", 1, true},          Unit{"KB", 1'000, true},
                                   Unit{"KiB", 1 << 10, true},  Unit{"MB", 1'000'000, true},
                                   Unit{"MiB", 1 << 20, true},  Unit{"GB", 1'000'000'000, true},
                                   Unit{"GiB", 1 << 30, true},  Unit{"TB", 1'000'000'000'000, true},
                                   Unit{"TiB", 1ll << 40, true}};
constexpr std::array kBitRateUnits = {Unit{"b/s", 1, true},
                                      Unit{"kb/s", 1'000, true},
                                      Unit{"Mb/s", 1'000'000, true},
                                      Unit{"Gb/s", 1'000'000'000, true},
                                      Unit{"Tb/s", 1'000'000'000'000, true},
                                      Unit{"Mbps", 1'000'000, false},
                                      Unit{"Gbps", 1'000'000'000, false},
                                      Unit{"Tbps", 1'000'000'000'000, false}};
constexpr std::array kByteRateUnits = {Unit{"B/s", 1, true}, Unit{"KB/s", 1'000, true}, Unit{"MB/s", 1'000'000, true},
                                       Unit{"GB/s", 1'000'000'000, true}, Unit{"TB/s", 1'000'000'000'000, true}};

std::span<const Unit> units_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::time_ps:
      return kTimeUnits;
    case Quantity::bytes:
      return kByteUnits;
    case Quantity::bits_per_s:
      return kBitRateUnits;
    case Quantity::bytes_per_s:
      return kByteRateUnits;
    case Quantity::none:
    case Quantity::ratio:
      return {};
  }
  return {};
}

/// 80 bits of digits times at most 41 of a unit stay below 127.
constexpr Int128 kMaxDigits = static_cast<Int128>(1) << 80;

/// A decimal number as digits / 10^decimals, exact.
struct Decimal {
  Int128 digits = 0;
  int decimals = 0;
  bool valid = false;
};

Decimal parse_decimal(std::string_view text) {
  Decimal d;
  bool point = false;
  int seen = 0;
  for (const char c : text) {
    if (c == '_') continue;
    if (c == '.' && !point) {
      point = true;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 && seen < 30) {
      d.digits = d.digits * 10 + (c - '0');
      d.decimals += point ? 1 : 0;
      ++seen;
    } else {
      return {};
    }
  }
  d.valid = seen > 0;
  return d;
}

/// The length of "e-5" at the start of `text`, 0 where there is none.
size_t exponent_length(std::string_view text) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return 0;
  size_t at = text.size() > 1 && (text[1] == '-' || text[1] == '+') ? 2 : 1;
  const size_t first_digit = at;
  while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at == first_digit ? 0 : at;
}

constexpr int kLargestExponent = 99;  // far beyond the exponent of any quantity that fits

/// `number` times 10^`exponent_text` ("e-5", or nothing), exactly; unchanged where that needs too many digits.
Decimal raised(Decimal number, std::string_view exponent_text) {
  if (!number.valid || exponent_text.empty()) return number;
  if (number.digits == 0) return {0, 0, true};
  const bool negative = exponent_text[1] == '-';
  const char* begin = exponent_text.data() + (negative || exponent_text[1] == '+' ? 2 : 1);
  int exponent = kLargestExponent;
  std::from_chars(begin, exponent_text.data() + exponent_text.size(), exponent);  // unchanged where too large
  exponent = std::min(exponent, kLargestExponent);
  number.decimals += negative ? exponent : -exponent;
  for (; number.decimals > 0 && number.digits % 10 == 0; --number.decimals) number.digits /= 10;
  for (; number.decimals < 0 && number.digits <= kMaxDigits; ++number.decimals) number.digits *= 10;
  return number;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

QuantityResult scaled(const Decimal& number, const Unit& unit, Quantity quantity) {
  if (number.decimals < 0) return {0, "is too large for 63 bits"};
  if (number.decimals > 18 || number.digits > kMaxDigits) return {0, "has too many digits"};
  Int128 divisor = 1;
  for (int i = 0; i < number.decimals; ++i) divisor *= 10;
  const Int128 product = number.digits * unit.scale;
  if (product % divisor != 0) {
    return {0, fmt::format("is not a whole number of {}: nothing may be rounded silently", base_unit(quantity))};
  }
  if (product / divisor > INT64_MAX / 2) return {0, "is too large for 63 bits"};
  return {static_cast<i64>(product / divisor), {}};
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

/// "us" for the two characters that look like a Greek mu; any other text as it is.
std::string with_latin_u(std::string_view unit) {
  for (const std::string_view mu : {"\u00b5", "\u03bc"}) {
    if (unit.starts_with(mu)) return "u" + std::string(unit.substr(mu.size()));
  }
  return std::string(unit);
}

/// The unit probably meant by an unknown one: "Gb/s" for "gb/s" and "Gbit/s", "us" for "usec".
std::string meant_unit(std::string_view given, Quantity quantity) {
  std::string word = lower(given);
  const auto replace = [&](std::string_view from, std::string_view to) {
    if (const size_t at = word.find(from); at != std::string::npos) word.replace(at, from.size(), to);
  };
  replace("bits", "b"), replace("bit", "b"), replace("bytes", "b"), replace("byte", "b");
  replace("sec", "s"), replace("bps", "b/s");
  for (const Unit& unit : units_of(quantity)) {
    if (unit.written && lower(unit.name) == word) return std::string(unit.name);
  }
  return {};
}

/// "Gb/s" for the G of "400G".
std::string meant_prefix(std::string_view given, Quantity quantity) {
  if (given.size() != 1) return {};
  for (const Unit& unit : units_of(quantity)) {
    const bool prefixed = unit.name.size() > (quantity == Quantity::bytes ? 1u : 3u) && quantity != Quantity::time_ps;
    if (unit.written && prefixed && lower(unit.name.substr(0, 1)) == lower(given)) return std::string(unit.name);
  }
  return {};
}

/// Names a mix-up of bits and bytes before it lists the accepted units.
std::string unknown_unit(std::string_view number, std::string_view unit, Quantity quantity) {
  const bool bits = quantity == Quantity::bits_per_s, bytes = quantity == Quantity::bytes_per_s;
  const auto is_of = [&](Quantity other) {
    return std::ranges::any_of(units_of(other), [&](const Unit& u) { return u.name == unit; });
  };
  std::string hint;
  if (bits && is_of(Quantity::bytes_per_s)) {
    hint = "; bits are wanted here, 8 for every byte";
  } else if (bytes && is_of(Quantity::bits_per_s)) {
    hint = "; bytes are wanted here, 1 for every 8 bits";
  } else if (const std::string meant = meant_unit(unit, quantity); !meant.empty()) {
    hint = fmt::format("; did you mean \"{}\"?", meant);
  } else if (const std::string prefixed = meant_prefix(unit, quantity); !prefixed.empty()) {
    hint = fmt::format("; did you mean \"{} {}\"?", number, prefixed);
  }
  return fmt::format("has the unit \"{}\", which is not one of: {}{}", unit, accepted_units(quantity), hint);
}

}  // namespace

QuantityResult parse_quantity(std::string_view text, Quantity quantity) {
  const std::string_view all = trim(text);
  const size_t split = std::min(all.find_first_not_of("0123456789._"), all.size());
  const std::string_view exponent = all.substr(split, exponent_length(all.substr(split)));
  const std::string unit_text = with_latin_u(trim(all.substr(split + exponent.size())));
  const Decimal number = raised(parse_decimal(all.substr(0, split)), exponent);
  if (all.size() > 1 && all[0] == '-' && std::isdigit(static_cast<unsigned char>(all[1])) != 0) {
    return {0, "is negative; give 0 or more"};
  }
  if (!number.valid) {
    return {0, fmt::format("is not a number with a unit; write for example \"{}\"",
                           format_quantity(units_of(quantity).empty() ? 1 : units_of(quantity)[2].scale, quantity))};
  }
  for (const Unit& unit : units_of(quantity)) {
    if (unit.name == unit_text) return scaled(number, unit, quantity);
  }
  if (unit_text.empty() && (quantity == Quantity::bytes || number.digits == 0)) {
    return scaled(number, Unit{"", 1, false}, quantity);
  }
  if (unit_text.empty()) return {0, "has no unit; accepted units: " + accepted_units(quantity)};
  return {0, unknown_unit(trim(all.substr(0, split + exponent.size())), unit_text, quantity)};
}

bool bare_number_allowed(Quantity quantity, double value) {
  return quantity == Quantity::none || quantity == Quantity::ratio || quantity == Quantity::bytes || value == 0;
}

std::string accepted_units(Quantity quantity) {
  std::string out;
  for (const Unit& unit : units_of(quantity)) {
    if (!out.empty()) out += ", ";
    out += unit.name;
  }
  return out;
}

std::string_view base_unit(Quantity quantity) {
  switch (quantity) {
    case Quantity::time_ps:
      return "ps";
    case Quantity::bytes:
      return "B";
    case Quantity::bits_per_s:
      return "bit/s";
    case Quantity::bytes_per_s:
      return "B/s";
    case Quantity::none:
    case Quantity::ratio:
      return "";
  }
  return "";
}

std::string format_quantity(i64 value, Quantity quantity) {
  std::string best;
  for (const Unit& unit : units_of(quantity)) {
    if (!unit.written || (!best.empty() && (value == 0 || value % unit.scale != 0))) continue;
    std::string text = fmt::format("{} {}", value / unit.scale, unit.name);
    if (best.empty() || text.size() <= best.size()) best = std::move(text);  // equally short: the larger unit
  }
  return best.empty() ? fmt::format("{}", value) : best;
}

std::string human_quantity(double value, Quantity quantity) {
  const Unit* best = nullptr;
  for (const Unit& unit : units_of(quantity)) {
    // KB and KiB would mix: people read sizes that are not round in decimal units
    const bool binary = quantity == Quantity::bytes && unit.name.find('i') != std::string_view::npos;
    if (unit.written && !binary && (best == nullptr || std::abs(value) >= static_cast<double>(unit.scale)))
      best = &unit;
  }
  if (best == nullptr) return fmt::format("{:.4g}", value);
  return fmt::format("{:.4g} {}", value / static_cast<double>(best->scale), best->name);
}

}  // namespace heddle
