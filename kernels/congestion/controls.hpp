// The congestion controls: one line each. Nothing else in engine, configuration or checks knows them by name.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/congestion/control_list.hpp"
#include "kernels/congestion/dcqcn.hpp"

namespace heddle {

using CongestionControls = ControlList<  //
    Dcqcn>;

/// What kernels see of a World's control. Throws std::invalid_argument when there is none of its name, or it refuses
/// its settings.
ControlView control_view(const Congestion& congestion);

/// Its Settings, as control_settings() of kernels reads them; empty: there is no control.
std::vector<std::byte> control_settings_bytes(const Congestion& congestion);

}  // namespace heddle
