// [acceleration] of a configuration: what need not be simulated.
#pragma once

#include <array>
#include <string>

#include "kernels/base/parameter.hpp"

namespace heddle {

struct AccelerationOptions {
  std::string mode = "off";
  bool skips() const { return mode == "exact"; }
};

inline const std::array kAccelerationParameters = {
    Parameter<AccelerationOptions>{
        .key = "mode",
        .field = &AccelerationOptions::mode,
        .choices = "off|exact",
        .help = "exact: where the whole fabric repeats itself to the picosecond, what would be the same again is "
                "counted, not simulated. Changes no result; one rank, without --check",
        .source = "engineering judgement; kernels/skip/README.md says why it is exact"},
};

}  // namespace heddle
