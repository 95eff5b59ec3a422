// What is told to people while something else goes on: a terminal that is gone or a log on a full disk ends no run.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <system_error>
#include <utility>

namespace heddle {

/// Prints to standard error or output as fmt::print does, but throws nothing when that fails; standard output is looked
/// at once more before the program ends (app.cpp).
template <class... T>
void tell(std::FILE* to, fmt::format_string<T...> text, T&&... arguments) {
  try {
    fmt::print(to, text, std::forward<T>(arguments)...);
  } catch (const std::system_error&) {
  }
}

}  // namespace heddle
