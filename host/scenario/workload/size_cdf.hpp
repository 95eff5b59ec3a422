// Message sizes drawn from a cumulative distribution, in integers only: the same draws on every machine.
#pragma once

#include <vector>

#include "io/formats/plain.hpp"

namespace heddle {

/// A distribution of message sizes to draw from; piecewise linear, as HPCC's traffic_gen.
struct SizeCdf {
  std::vector<u64> bytes;            // ascending
  std::vector<u64> probability_q32;  // ascending, the last is 2^32
  bool empty() const { return bytes.empty(); }
};

/// Checks a distribution that was read. Throws ConfigError: fewer than 2 points, descending sizes or probabilities, an
/// end other than 1.
SizeCdf size_cdf_of(const PlainSizeCdf& plain);

/// The size at probability u_q32 / 2^32, at least 1 B.
u64 size_at(const SizeCdf& cdf, u32 u_q32);

/// The mean size, at least 1 B.
u64 mean_bytes(const SizeCdf& cdf);

}  // namespace heddle
