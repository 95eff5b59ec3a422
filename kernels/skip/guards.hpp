// What keeps a fabric from repeating itself though its state seems to: whatever depends on the time itself.
#pragma once

#include <string>

#include "kernels/state/model.hpp"
#include "kernels/state/tally.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Why nothing of this World can be skipped, in words; "": something may be.
std::string why_never(const World& world, const Model& model);

/// Whether some account came near its XOFF, as far as pools have noted: then slots and epochs, whose grids a skip
/// shifts, might decide otherwise.
bool near_pause(const View& view);
/// Whether a pause or its end is on its way to the source of some link: it acts at an instant that does not move.
bool any_pause_change_due(const View& view, u32 parity);
/// Pools note anew.
void forget_most(const View& view);

/// Whether the congestion control of some queue pair keeps state: it has periods of its own.
bool any_control_started(const View& view);

}  // namespace heddle
