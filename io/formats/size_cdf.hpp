// Message size distributions as HPCC's traffic generator reads them, and with fractions, as pFabric's and others'.
#pragma once

#include <string>

#include "io/formats/plain.hpp"

namespace heddle {

/// A line `bytes percent` per point: percent (cumulative) from 0 to 100, or fractions from 0 to 1, as the last line
/// says; neither column decreasing. Throws InputError, also where no size is above 0.
PlainSizeCdf read_size_cdf(const std::string& path);

}  // namespace heddle
