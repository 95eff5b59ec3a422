// [acceleration] of a configuration: what need not be simulated.
#pragma once

#include <array>
#include <string>

#include "kernels/base/parameter.hpp"

namespace heddle {

struct AccelerationOptions {
  std::string mode = "auto";
  u32 coarse = 0;
  double tolerance = 0.01;

  bool automatic() const { return mode == "auto"; }
  bool off() const { return mode == "off"; }
  bool exact() const { return mode == "exact"; }
  bool bounded() const { return mode == "bounded"; }
};

inline const std::array kAccelerationParameters = {
    Parameter<AccelerationOptions>{
        .key = "mode",
        .field = &AccelerationOptions::mode,
        .choices = "auto|off|exact|bounded",
        .help = "auto: exact where one process simulates on CPUs, all jobs touch each other, and --check is not given; "
                "else off. exact: where the fabric repeats itself to the picosecond, or a part of it that touches no "
                "other, what would be the same again is counted, not simulated; changes no result. bounded: packets "
                "carry several MTUs, a second run with packets twice as large says what that does to every time, and "
                "results come with their error",
        .source = "engineering judgement; host/acceleration/README.md says when to trust which"},
    Parameter<AccelerationOptions>{
        .key = "coarse",
        .field = &AccelerationOptions::coarse,
        .max = 16,
        .help = "MTUs of a packet: 2, 4, 8 or 16; 0 = the most of these that leave 8 packets to the messages that "
                "carry most bytes",
        .source = "tests/property/calibration: errors grow with the MTUs of a packet, and with fewer than 8 packets a "
                  "message not evenly",
        .only_with = "mode=bounded"},
    Parameter<AccelerationOptions>{
        .key = "tolerance",
        .field = &AccelerationOptions::tolerance,
        .quantity = Quantity::ratio,
        .min = 0.0001,
        .max = 1,
        .help = "times whose error is estimated at more than this part of them are pointed out last, like losses",
        .source = "engineering judgement: 1 %",
        .only_with = "mode=bounded"},
};

}  // namespace heddle
