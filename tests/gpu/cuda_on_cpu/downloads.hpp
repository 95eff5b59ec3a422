// Counts bytes from the device to the host: copies that a backend makes without need show here.
#pragma once

#include <cstdint>

namespace cuda_on_cpu {

struct Downloads {
  std::uint64_t copies = 0, bytes = 0;
  Downloads operator-(const Downloads& before) const { return {copies - before.copies, bytes - before.bytes}; }
};

/// Returns the downloads of this thread so far.
Downloads downloads();

}  // namespace cuda_on_cpu
