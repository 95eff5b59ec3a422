// Congestion controls by their numbers.
#pragma once

#include "kernels/congestion/control.hpp"

namespace heddle {

/// Stands for a control where a function is called with one: its type is decltype(tag)::Control.
template <class C>
struct ControlTag {
  using Control = C;
};

/// A control's number is its place here. The first is chosen in the loop over packets; all others by a call, so that a
/// run with the first is not the worse for them. The call gets a copy of the function: what it refers to is best had by
/// value.
template <class First, class... Other>
struct ControlList {
  static constexpr u32 kCount = 1 + sizeof...(Other);

  /// Calls f(tag) for the control `number`, which there must be.
  template <class F>
  HEDDLE_FN static auto visit(u32 number, const F& f) {
    if constexpr (sizeof...(Other) == 0) {
      return f(ControlTag<First>{});
    } else {
      if (number == 0) return f(ControlTag<First>{});
      return visit_other(number, F(f));
    }
  }

 private:
  template <class F>
  HEDDLE_RARE_FN static auto visit_other(u32 number, const F& f) {
    return ControlList<Other...>::visit(number - 1, f);
  }
};

}  // namespace heddle
