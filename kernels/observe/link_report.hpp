// What the links of a model have carried so far, in the World's order.
#pragma once

#include <span>

#include "kernels/outcome/counters.hpp"
#include "kernels/outcome/outcome.hpp"
#include "kernels/state/model.hpp"

namespace heddle {

/// Counters of every link of the World from those of this part's, by local number; zeros for what another part counts.
void spread_counters(const Model& model, std::span<const LinkCounters> own, std::span<LinkCounters> out);

/// The same at the end of a run, at `now_ps`: the two ends of a link, which may be two parts', fill in what each has
/// counted. The host's copy of the state must be current.
void read_links(const Model& model, TimePs now_ps, std::span<LinkOutcome> out);

}  // namespace heddle
