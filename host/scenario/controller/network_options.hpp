// [routing.traffic_engineering.network]: how a controller's measurements and routes travel (MODEL.md, 7.8).
#pragma once

#include <array>
#include <string>

#include "kernels/base/parameter.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// Hosts count from 0 in the fabric.
struct ControlNetworkOptions {
  std::string fabric;  // "": none; then measuring and telling the switches take no time
  u32 controller = 0;
  u32 first_server = 0, servers = 0;
  u32 first_switch = 0, switches = 0;
  u64 report_bytes = 4096, route_bytes = 4096;
  TimePs solve_ps = 1'000'000'000;
  TimePs commit_ps = 20'000'000;
  u32 periods = 0;
  std::string traffic_class = "best_effort";

  bool present() const { return !fabric.empty(); }
};

inline constexpr std::string_view kOnlyMeasured = "routing.traffic_engineering.demands=measured";

inline const std::array kControlNetworkParameters = {
    Parameter<ControlNetworkOptions>{.key = "fabric",
                                     .field = &ControlNetworkOptions::fabric,
                                     .help = "the [[fabric]] that carries what servers report to the controller, and "
                                             "the routes that it solves to switches; none: both take no time",
                                     .source = "kernels/MODEL.md, 7.8",
                                     .only_with = kOnlyMeasured},
    Parameter<ControlNetworkOptions>{.key = "controller",
                                     .field = &ControlNetworkOptions::controller,
                                     .max = 1048575,
                                     .help = "the controller's host in that fabric",
                                     .source = "to be given",
                                     .only_with = kOnlyMeasured},
    Parameter<ControlNetworkOptions>{.key = "first_server",
                                     .field = &ControlNetworkOptions::first_server,
                                     .max = 1048575,
                                     .help = "the first host there that reports: one port of each server",
                                     .source = "engineering judgement",
                                     .only_with = kOnlyMeasured},
    Parameter<ControlNetworkOptions>{.key = "servers",
                                     .field = &ControlNetworkOptions::servers,
                                     .max = 1048576,
                                     .help = "so many hosts report, each once a period",
                                     .source = "to be given",
                                     .only_with = kOnlyMeasured},
    Parameter<ControlNetworkOptions>{.key = "first_switch",
                                     .field = &ControlNetworkOptions::first_switch,
                                     .max = 1048575,
                                     .help = "the first host there that is the management port of a switch; 0 = the "
                                             "one behind the last that reports",
                                     .source = "engineering judgement",
                                     .only_with = kOnlyMeasured},
    Parameter<ControlNetworkOptions>{.key = "switches",
                                     .field = &ControlNetworkOptions::switches,
                                     .max = 1048576,
                                     .help = "so many switches get routes; 0 = one for each switch of the first fabric "
                                             "with the policy traffic_engineering",
                                     .source = "engineering judgement",
                                     .only_with = kOnlyMeasured},
    Parameter<ControlNetworkOptions>{.key = "report_bytes",
                                     .field = &ControlNetworkOptions::report_bytes,
                                     .quantity = Quantity::bytes,
                                     .min = 1,
                                     .max = 1e9,
                                     .help = "size of a report",
                                     .source = "engineering judgement: 8 NICs, 64 racks, 8 B each",
                                     .only_with = kOnlyMeasured},
    Parameter<ControlNetworkOptions>{.key = "route_bytes",
                                     .field = &ControlNetworkOptions::route_bytes,
                                     .quantity = Quantity::bytes,
                                     .min = 1,
                                     .max = 1e9,
                                     .help = "size of the message with the routes of one switch",
                                     .source = "engineering judgement: 512 entries of 8 B",
                                     .only_with = kOnlyMeasured},
    Parameter<ControlNetworkOptions>{.key = "solve",
                                     .field = &ControlNetworkOptions::solve_ps,
                                     .quantity = Quantity::time_ps,
                                     .max = 1e15,
                                     .help = "from the receipt of a period's last report until its routes are posted",
                                     .source = "engineering judgement",
                                     .only_with = kOnlyMeasured},
    Parameter<ControlNetworkOptions>{.key = "commit",
                                     .field = &ControlNetworkOptions::commit_ps,
                                     .quantity = Quantity::time_ps,
                                     .min = 1'000'000,
                                     .max = 1e15,
                                     .help = "switches take a plan that all of them have at the next multiple of it",
                                     .source = "engineering judgement: a hop of a management network",
                                     .only_with = kOnlyMeasured},
    Parameter<ControlNetworkOptions>{.key = "periods",
                                     .field = &ControlNetworkOptions::periods,
                                     .max = 1e6,
                                     .help = "the controller measures so many times; 0 = until simulation.horizon",
                                     .source = "engineering judgement",
                                     .only_with = kOnlyMeasured},
    Parameter<ControlNetworkOptions>{.key = "class",
                                     .field = &ControlNetworkOptions::traffic_class,
                                     .choices = "lossless|best_effort",
                                     .help = "traffic class of reports and routes",
                                     .source = "engineering judgement: TCP, where that class has it",
                                     .only_with = kOnlyMeasured},
};

}  // namespace heddle
