// Counters of all links of a model so far, in the World's order.
#pragma once

#include <span>

#include "kernels/outcome/counters.hpp"
#include "kernels/state/model.hpp"

namespace heddle {

struct LinkOutcome;

/// Counters of every link of the World from those of this part's, by local number; zeros for what another part counts.
void spread_counters(const Model& model, std::span<const LinkCounters> own, std::span<LinkCounters> out);

/// Fills the outcome of links at `now_ps`, the end of a run. The two ends of a link, which may be in two parts, each
/// fill in what they have counted. The host's copy of the state must be current.
void read_links(const Model& model, TimePs now_ps, std::span<LinkOutcome> out);

}  // namespace heddle
