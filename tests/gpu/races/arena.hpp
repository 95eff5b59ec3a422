// Memory of the emulated device as one range of addresses, so that whether an address is the device's, and what is
// known of it, costs nothing to find.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuda_on_cpu::races {

/// What blocks do to memory. Updates are atomic: reads, writes and read-modify-writes.
enum Use : unsigned { kRead, kWrite, kUpdate, kUses };

/// Who has used each of 8 bytes since everything before was done, and where in the program they last did. In `epoch`
/// (Order) agents have numbers; 0: nobody.
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
inline constexpr std::size_t kArenaBytes = std::size_t{1} << 36;  // reserved; what is touched costs memory
const Arena& arena();

}  // namespace cuda_on_cpu::races
