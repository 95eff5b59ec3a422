// What the links of a model have carried so far.
#pragma once

#include <span>

#include "kernels/outcome/counters.hpp"
#include "kernels/outcome/outcome.hpp"
#include "kernels/state/model.hpp"

namespace heddle {

/// Counters at `now_ps` of every link of the World; zeros for what another part counts. The host's copy of the state
/// must be current.
void read_links(const Model& model, TimePs now_ps, std::span<LinkCounters> out);

/// The same at the end of a run: the two ends of a link, which may be two parts', fill in what each has counted.
void read_links(const Model& model, TimePs now_ps, std::span<LinkOutcome> out);

}  // namespace heddle
