// Congestion controls by their numbers.
#pragma once

#include <variant>

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"
#include "kernels/world/congestion.hpp"

namespace heddle {

/// Stands for a control where a function is called with one: its type is decltype(tag)::Control.
template <class C>
struct ControlTag {
  using Control = C;
};

/// What kernels have of a control; null unless it is the run's.
template <class Control>
struct ControlArrays {
  const typename Control::Prepared* settings = nullptr;  // one
  typename Control::State* state = nullptr;              // [senders] all zero until used
};

/// A control's number is its place here. The first is chosen in the loop over packets; all others by a call, so that a
/// run with the first is not the worse for them. The call gets a copy of the function: what it refers to is best had by
/// value.
template <class First, class... Other>
struct ControlList {
  using Settings = std::variant<NoControl, typename First::Settings, typename Other::Settings...>;

  struct Arrays : ControlArrays<First>, ControlArrays<Other>... {
    template <class Control>
    HEDDLE_FN ControlArrays<Control>& of() {
      return *this;
    }
    template <class Control>
    HEDDLE_FN const ControlArrays<Control>& of() const {
      return *this;
    }
  };

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
