// Collecting and delivering by one CPU thread.
#pragma once

#include <span>

#include "kernels/boundary/collect.hpp"
#include "kernels/boundary/deliver.hpp"
#include "kernels/boundary/release.hpp"

namespace heddle {

/// As collect() and deliver(). `order_seed` not 0: every phase in another order (testing).
void collect_share(const View& v, u32 n, u32 parity, Parcel& parcel, u64 order_seed);
void deliver_share(const View& v, u32 n, u32 parity, std::span<const u64> words, u32& misfits, u64 order_seed);

}  // namespace heddle
