// The period of what a witness has seen.
#pragma once

#include "kernels/state/transport.hpp"

namespace heddle {

/// The shortest stretch of time that the latest starts of a witness repeat: they did so two and a half times at least,
/// and for `least_ps`. 0: none, as far as its notes reach.
TimePs latest_period_ps(const Witness& witness, TimePs least_ps);

}  // namespace heddle
