// Quantities as people write them ("0.5 us", "64 MiB", "400 Gb/s"), converted to whole base units and back exactly.
#pragma once

#include <string>
#include <string_view>

#include "kernels/base/parameter.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// A quantity in base units (ps, B, bit/s, B/s), or the problem that kept `text` from being one.
struct QuantityResult {
  i64 value = 0;
  std::string problem;  // empty when the text was understood
};

/// Reads "number unit", such as "0.5 us", "1e-5 s" or "64 MiB". The number must come out whole in base units, so that
/// nothing is rounded silently. Units are case sensitive: Gb/s and GB/s differ by a factor of eight.
QuantityResult parse_quantity(std::string_view text, Quantity quantity);

/// Whether a number without unit is unambiguous: bytes, and zero of anything.
bool bare_number_allowed(Quantity quantity, double value);

/// The units that parse_quantity accepts, for messages: "ps, ns, us, ms, s".
std::string accepted_units(Quantity quantity);

/// Name of the base unit: "ps", "B", "bit/s", "B/s", or "" for plain numbers.
std::string_view base_unit(Quantity quantity);

/// The shortest text that parse_quantity reads back to exactly `value`: 500000 ps -> "500 ns".
std::string format_quantity(i64 value, Quantity quantity);

/// A text for people with three or four significant digits: 1536000 ps -> "1.536 us". It does not read back exactly.
std::string human_quantity(double value, Quantity quantity);

}  // namespace heddle
