// The parameters of traffic classes and of the clocks, declared beside the settings they fill.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "kernels/base/parameter.hpp"
#include "kernels/world/fabric.hpp"

namespace heddle {

/// A class as a configuration writes it.
struct ClassOptions : TrafficClass {
  double limit_alpha = 0;
  std::string transport_name = "roce";
};

/// The transport of a word that the table below allows.
inline Transport transport_of(std::string_view word) { return word == "tcp" ? Transport::tcp : Transport::roce; }

/// [class.NAME]
inline const std::array kClassParameters = {
    Parameter<ClassOptions>{.key = "strict",
                            .field = &ClassOptions::strict,
                            .help = "served before every weighted class; class control always is",
                            .source = "kernels/MODEL.md, 2.3"},
    Parameter<ClassOptions>{.key = "weight",
                            .field = &ClassOptions::weight,
                            .min = 1,
                            .max = 1000,
                            .help = "deficit round robin: quantum = weight * largest frame",
                            .source = "kernels/MODEL.md, 5.2"},
    Parameter<ClassOptions>{.key = "pfc",
                            .field = &ClassOptions::pfc,
                            .help = "lossless: pauses instead of drops",
                            .source = "Meta SIGCOMM'24: one lossless class"},
    Parameter<ClassOptions>{.key = "ecn",
                            .field = &ClassOptions::ecn,
                            .help = "switch egresses mark this class",
                            .source = "kernels/MODEL.md, 2.3"},
    Parameter<ClassOptions>{.key = "limit",
                            .field = &ClassOptions::limit_bytes,
                            .quantity = Quantity::bytes,
                            .max = 1e12,
                            .help =
                                "per switch egress queue; beyond it arrivals are dropped; 0 = none, which data without "
                                "pfc may not have where ports own their memory",
                            .source = "engineering judgement: control 1 MiB"},
    Parameter<ClassOptions>{.key = "limit_alpha",
                            .field = &ClassOptions::limit_alpha,
                            .quantity = Quantity::ratio,
                            .max = 64,
                            .help = "without pfc, at switches with a shared buffer: a queue may also hold at most "
                                    "limit_alpha * free shared memory; 0 = no such limit",
                            .source = "kernels/MODEL.md, 5.5: dynamic limit of best effort"},
    Parameter<ClassOptions>{.key = "transport",
                            .field = &ClassOptions::transport_name,
                            .choices = "roce|tcp",
                            .help = "what moves the data of this class; jobs need roce in class lossless",
                            .source = "RDMA for collectives; kernels/MODEL.md, 8.11: TCP"},
};

/// The names of the classes in the configuration; position = class number in packets and results.
inline constexpr std::array<std::string_view, 3> kClassNames = {"control", "lossless", "best_effort"};

/// Class `index` as in kernels/MODEL.md, 2.3.
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
