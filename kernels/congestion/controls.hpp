// The congestion controls: one line each. Nothing else in engine, configuration or checks knows them by name.
#pragma once

#include "kernels/congestion/control_list.hpp"
#include "kernels/congestion/dcqcn.hpp"

namespace heddle {

using CongestionControls = ControlList<  //
    Dcqcn>;

/// What kernels see of a World's control. Throws std::invalid_argument when there is none of its name, or it refuses
/// its settings.
ControlView control_view(const Congestion& congestion);

}  // namespace heddle
