#pragma once

#include "partition/halo/exchange.hpp"

namespace heddle {

/// Random worlds, cut at random: all ranks together find what one engine finds. Returns how many worlds that were.
/// Throws std::runtime_error at a rank where something differs.
u32 exchange_worlds(Exchange& exchange, u64 first_seed, u64 seeds);

}  // namespace heddle
