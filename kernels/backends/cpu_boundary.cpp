#include "kernels/backends/cpu_boundary.hpp"

#include "kernels/team/serial.hpp"
#include "kernels/team/shuffled.hpp"

namespace heddle {

void collect_on_cpu(const View& v, u32 n, u32 parity, Parcel& parcel, u64 order_seed) {
  if (order_seed == 0) return collect(Serial(nullptr), v, n, parity, parcel);
  collect(Shuffled(nullptr, nullptr, order_seed), v, n, parity, parcel);
}

void deliver_on_cpu(const View& v, u32 n, u32 parity, std::span<const u64> words, u32& misfits, u64 order_seed) {
  if (order_seed == 0) return deliver(Serial(nullptr), v, n, parity, words.data(), words.size(), misfits);
  deliver(Shuffled(nullptr, nullptr, order_seed), v, n, parity, words.data(), words.size(), misfits);
}

}  // namespace heddle
