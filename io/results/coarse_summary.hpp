// What coarse packets say, and how far it may be off.
#pragma once

#include <span>
#include <string>

#include "io/results/estimates.hpp"

namespace heddle {

/// How many times of each kind there are, how long, how far off; what is off by more than `tolerance` (a part of it);
/// what of the result is that of coarse packets. "" where packets carry one MTU.
std::string coarse_summary(u32 mtus_of_packet, std::span<const TimeEstimate> estimates, double tolerance = 1e9);

/// "8 MTUs a packet, times +- 0.31 % at most"; "" where packets carry one.
std::string coarse_label(u32 mtus_of_packet, std::span<const TimeEstimate> estimates);

}  // namespace heddle
