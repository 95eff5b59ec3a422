// What becomes of a field while the fabric repeats itself (skip/): lists of fields say so where it is not the same
// value again. Checkpoints take no notice.
#pragma once

#include <type_traits>

#include "kernels/base/types.hpp"

namespace heddle {

enum class Motion : u8 {
  still,    // the same value again, a period later
  instant,  // an instant: a period later, or the same where it lies in the past or is of something else
  counter,  // more by the same number in every period, mod its width
  slice,    // likewise, by a multiple of kMaxSlots, so that its place among the slots is the same
  bound,    // no instant of its own, but one before which nothing is due: as good a period later
  sample,   // taken anew before it is used
};

template <Motion motion, class T>
struct Moving {
  T& field;
};

template <class T>
Moving<Motion::instant, T> instant(T& field) {
  return {field};
}
template <class T>
Moving<Motion::counter, T> counter(T& field) {
  return {field};
}
template <class T>
Moving<Motion::slice, T> slice(T& field) {
  return {field};
}
template <class T>
Moving<Motion::bound, T> bound(T& field) {
  return {field};
}
template <class T>
Moving<Motion::sample, T> sample(T& field) {
  return {field};
}

template <class T>
struct MotionOf {
  static constexpr Motion kMotion = Motion::still;
};
template <Motion motion, class T>
struct MotionOf<Moving<motion, T>> {
  static constexpr Motion kMotion = motion;
};
template <class T>
inline constexpr Motion motion_of = MotionOf<std::remove_cvref_t<T>>::kMotion;

template <class T>
struct IsMoving : std::false_type {};
template <Motion motion, class T>
struct IsMoving<Moving<motion, T>> : std::true_type {};

/// The field itself, whatever its motion.
template <class T>
auto& field_of(T& field) {
  if constexpr (IsMoving<std::remove_const_t<T>>::value) {
    return field.field;
  } else {
    return field;
  }
}

}  // namespace heddle
