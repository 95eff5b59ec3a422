// Losses that a configuration caused, in words.
#pragma once

#include <string>
#include <vector>

namespace heddle {

struct Totals;

/// Returns one text for each kind of loss that lossless classes must never see: headroom overruns, full shared buffers.
/// Empty when there was none.
std::vector<std::string> configuration_errors(const Totals& totals);

}  // namespace heddle
