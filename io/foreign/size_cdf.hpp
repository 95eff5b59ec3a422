// Message size distributions as HPCC's traffic generator reads them.
#pragma once

#include <string>

#include "io/foreign/plain.hpp"

namespace heddle {

/// A line `bytes percent` per point: percent (cumulative) from 0 to 100, neither column decreasing. Throws InputError.
PlainSizeCdf read_size_cdf(const std::string& path);

}  // namespace heddle
