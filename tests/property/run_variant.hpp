// One run of the engine in one of its variants.
#pragma once

#include <vector>

#include "kernels/outcome/outcome.hpp"
#include "kernels/world/world.hpp"
#include "tests/property/variants.hpp"

namespace heddle::property {

/// Stands for the digest of a state after the run had ended.
inline constexpr u64 kEnded = 0;

struct RunSettings {
  u32 recorded_kinds = 0;
  std::vector<TimePs> stops_ps = {};  // epoch starts; the state is digested there
  TimePs end_ps = 0;                  // approximate end of the run: legs end before
};

struct Run {
  Outcome outcome;                     // includes the events of all legs
  std::vector<u64> state_digests;      // at the stops
  u64 link_marks = 0, link_drops = 0;  // summed over the links at the end
};

/// Runs from the first to the last instant; departures enter the digest. `world` has the variant's tick.
Run run_variant(const World& world, const Variant& variant, const RunSettings& settings);

}  // namespace heddle::property
