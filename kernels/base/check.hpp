// Whether this build checks the state inside the passes of a tick (CMake's HEDDLE_CHECK, on in the debug preset).
// Otherwise such checks are compiled, but generate no instructions.
#pragma once

namespace heddle {

#if defined(HEDDLE_CHECK)
inline constexpr bool kChecked = true;
#else
inline constexpr bool kChecked = false;
#endif

}  // namespace heddle
