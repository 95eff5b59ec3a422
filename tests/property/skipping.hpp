// A run in which what repeats is skipped, beside one in which all of it is simulated.
#pragma once

#include <string>

#include "kernels/engine/engine.hpp"
#include "kernels/world/world.hpp"

namespace heddle::property {

/// How the two came out.
struct SkippingComparison {
  std::string difference;  // in words; "": none
  u64 packet_hops = 0, skipped_hops = 0;
};

/// `options` say how the run that skips is made; it is saved and gone on from in between where `restarts`.
SkippingComparison compare_skipping(const World& world, const EngineOptions& options, bool restarts);

/// The `index`-th way to make it, in turn.
EngineOptions skipping_options(u64 index);

}  // namespace heddle::property
