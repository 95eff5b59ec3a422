// Quantities in the engine's own messages. (A configuration's are io/units.hpp's.)
#pragma once

#include <cstdio>
#include <string>

#include "kernels/base/types.hpp"

namespace heddle {

/// Text such as "2.147 GB": at most four significant digits, decimal units. It cannot be read back exactly.
inline std::string rounded_bytes(u64 bytes) {
  constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes);
  u32 unit = 0;
  for (; value >= 1000 && unit < 6; ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %s", value, kUnits[unit]);
  return text;
}

}  // namespace heddle
