// The congestion controls: one line each. Nothing else in the engine knows them by name.
#pragma once

#include <type_traits>

#include "kernels/congestion/control_list.hpp"
#include "kernels/congestion/dcqcn.hpp"

namespace heddle {

using CongestionControls = ControlList<  //
    Dcqcn>;

static_assert(std::is_same_v<CongestionControls::Settings, ControlSettings>,
              "each control of kernels/world/congestion.hpp has its rule here, in the same order");

/// What `Control` makes of a World's settings, which are its own. Throws std::invalid_argument where it refuses them.
template <class Control>
typename Control::Prepared prepared(const Congestion& congestion) {
  return typename Control::Prepared(std::get<typename Control::Settings>(congestion.control));
}

/// kNone: there is none.
inline u32 control_number(const Congestion& congestion) {
  return congestion.none() ? kNone : static_cast<u32>(congestion.control.index() - 1);
}

/// What it keeps of a sender.
inline u32 control_state_bytes(const Congestion& congestion) {
  if (congestion.none()) return 0;
  return CongestionControls::visit(control_number(congestion), [](auto tag) {
    return static_cast<u32>(sizeof(typename decltype(tag)::Control::State));
  });
}

}  // namespace heddle
