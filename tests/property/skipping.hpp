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

/// How the run that skips is made.
struct SkippingWay {
  EngineOptions options;
  bool restarts = false;  // it is saved and gone on from in between; of one process alone
  u32 most_apart = 1;     // components that do not touch each other have engines of their own, as many at most
  u32 ranks = 1;
  u64 cut_seed = 0;  // how nodes are dealt out to them
};

/// The `index`-th, in turn.
SkippingWay skipping_way(u64 index);

SkippingComparison compare_skipping(const World& world, const SkippingWay& way);

}  // namespace heddle::property
