// Words of random lengths between ranks.
#pragma once

#include "partition/exchange/exchange.hpp"

namespace heddle {

inline constexpr u32 kExchangeRounds = 400;

/// All ranks call it. Throws std::runtime_error at a rank where something is wrong.
void exchange_words(Exchange& exchange);

}  // namespace heddle
