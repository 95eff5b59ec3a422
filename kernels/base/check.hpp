// Whether this build looks inside the passes of a tick (CMake's HEDDLE_CHECK, on in the debug preset). Otherwise such
// code is compiled, but leaves no instruction behind.
#pragma once

namespace heddle {

#if defined(HEDDLE_CHECK)
inline constexpr bool kChecked = true;
#else
inline constexpr bool kChecked = false;
#endif

}  // namespace heddle
