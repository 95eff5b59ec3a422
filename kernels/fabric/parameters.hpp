// The parameters of traffic classes and of the clocks, declared beside what they steer.
#pragma once

#include <array>
#include <string_view>

#include "kernels/base/parameter.hpp"
#include "kernels/fabric/fabric.hpp"

namespace heddle {

/// [class.NAME]
inline const std::array kClassParameters = {
    Parameter<TrafficClass>{.key = "strict",
                            .field = &TrafficClass::strict,
                            .help = "served before every weighted class; class control always is",
                            .source = "kernels/README.md, 2"},
    Parameter<TrafficClass>{.key = "weight",
                            .field = &TrafficClass::weight,
                            .min = 1,
                            .max = 1000,
                            .help = "deficit round robin: quantum = weight * largest frame",
                            .source = "kernels/README.md, 5"},
    Parameter<TrafficClass>{.key = "pfc",
                            .field = &TrafficClass::pfc,
                            .help = "lossless: pauses instead of drops",
                            .source = "Meta SIGCOMM'24: one lossless class"},
    Parameter<TrafficClass>{.key = "ecn",
                            .field = &TrafficClass::ecn,
                            .help = "switch egresses mark this class",
                            .source = "kernels/README.md, 2"},
    Parameter<TrafficClass>{.key = "limit",
                            .field = &TrafficClass::limit_bytes,
                            .quantity = Quantity::bytes,
                            .max = 1e12,
                            .help = "per switch egress queue; beyond it arrivals are dropped; 0 = none",
                            .source = "engineering judgement: control 1 MiB"},
};

/// The names of the classes in the configuration; position = class number in packets and results.
inline constexpr std::array<std::string_view, 3> kClassNames = {"control", "lossless", "best_effort"};

/// Class `index` as kernels/README.md, section 2, has it.
inline TrafficClass default_class(u32 index) {
  switch (index) {
    case 0:
      return {.strict = true, .weight = 1, .pfc = false, .ecn = false, .limit_bytes = 1 << 20};
    case 1:
      return {.strict = false, .weight = 1, .pfc = true, .ecn = true, .limit_bytes = 0};
    default:
      return {.strict = false, .weight = 1, .pfc = false, .ecn = false, .limit_bytes = 1 << 20};
  }
}

}  // namespace heddle
