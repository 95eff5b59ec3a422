// Times, sizes, rates and counts as people read them, for messages: "1.536 us", "4.194 MB", "400 Gb/s", "2 cables".
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "io/units.hpp"

namespace heddle {

template <class Number>
concept Countable = std::integral<Number> || std::floating_point<Number>;

std::string time_text(Countable auto ps) { return human_quantity(static_cast<double>(ps), Quantity::time_ps); }
std::string bytes_text(Countable auto bytes) { return human_quantity(static_cast<double>(bytes), Quantity::bytes); }
std::string rate_text(Countable auto bits_per_s) {
  return human_quantity(static_cast<double>(bits_per_s), Quantity::bits_per_s);
}

inline std::string counted(std::integral auto count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

}  // namespace heddle
