// Memory of the emulated device as one range of addresses, so that it is cheap to find whether an address is the
// device's, and its record.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuda_on_cpu::races {

/// Kinds of accesses by blocks. Updates are atomic: reads, writes and read-modify-writes.
enum Use : unsigned { kRead, kWrite, kUpdate, kUses };

/// Agents that used each of 8 bytes since the last point after which everything is ordered, and the last place in the
/// program. In `epoch` (Order) agents have numbers; 0: none.
struct alignas(64) Granule {
  std::uint32_t epoch;
  std::uint32_t place[kUses];
  std::uint16_t agent[kUses][8];
};

/// The range, and a granule for each 8 bytes of it.
struct Arena {
  char* memory;
  Granule* granules;
};
inline constexpr std::size_t kArenaBytes = std::size_t{1} << 36;  // reserved; only touched pages cost memory
const Arena& arena();

}  // namespace cuda_on_cpu::races
