// Packets and pauses that cross to another rank, collected and delivered by one CPU thread.
#pragma once

#include <span>

#include "kernels/boundary/collect.hpp"
#include "kernels/boundary/deliver.hpp"
#include "kernels/boundary/release.hpp"

namespace heddle {

/// collect() and deliver() of boundary/ on one thread. `order_seed` above 0: phases in another order (tests).
void collect_on_cpu(const View& v, u32 n, u32 parity, Parcel& parcel, u64 order_seed);
void deliver_on_cpu(const View& v, u32 n, u32 parity, std::span<const u64> words, u32& misfits, u64 order_seed);

}  // namespace heddle
