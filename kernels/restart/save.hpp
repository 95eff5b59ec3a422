// Saves the simulated state as records, independent of ranks, backends and memory addresses.
#pragma once

#include <span>
#include <string>

#include "kernels/restart/records.hpp"
#include "kernels/state/model.hpp"
#include "kernels/tick/tick.hpp"

namespace heddle {

/// Saves this part of the World at the start of `tick`, which has not run yet: its nodes, and the packets on wires that
/// end at them. The host's copy of the state must be current, and nothing may be in flight between parts.
void save_state(const Model& model, const Tick& tick, RecordBlocks& records);

/// Saves a part's sums since the start of the run.
void save_sums(const Model& model, const Tally& tally, RecordBlocks& records);

/// Saves the links (World numbers) for which a warning was given, and the warnings; nothing if there are none.
void save_warnings(std::span<const u32> links, std::span<const std::string> warnings, RecordBlocks& records);

}  // namespace heddle
