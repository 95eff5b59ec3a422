#include "host/cli/resident.hpp"

#include <malloc.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

namespace heddle {

u64 max_resident_bytes() {
  std::ifstream status("/proc/self/status");
  constexpr std::string_view kKey = "VmHWM:";
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kKey)) continue;
    u64 kib = 0;
    const std::size_t digits = std::min(line.find_first_of("0123456789"), line.size());
    std::from_chars(line.data() + digits, line.data() + line.size(), kib);
    return kib << 10;
  }
  return 0;
}

void give_back_free_memory() { ::malloc_trim(0); }

}  // namespace heddle
