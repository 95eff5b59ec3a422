// Output for people during a run: a terminal that is gone or a log on a full disk ends no run.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "io/printable.hpp"

namespace heddle {

/// Prints text as it is, control sequences of a terminal included; throws nothing when that fails. Standard output is
/// checked once more before the program ends (app.cpp).
inline void tell_raw(std::FILE* to, const std::string& text) {
  try {
    fmt::print(to, "{}", text);
  } catch (const std::system_error&) {
  }
}

/// Prints to standard error or output as fmt::print does, with what a terminal would obey escaped; throws nothing when
/// that fails.
template <class... T>
void tell(std::FILE* to, fmt::format_string<T...> text, T&&... arguments) {
  tell_raw(to, printable(fmt::format(text, std::forward<T>(arguments)...)));
}

}  // namespace heddle
