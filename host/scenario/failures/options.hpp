// Configuration of failures: [failures] and [[failure]].
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/base/parameter.hpp"

namespace heddle {

/// [failures]: how routing reacts, cables that are dead from the start, and cables that fail at random.
struct FailureSettings {
  TimePs detect_ps = 1'000'000'000;
  TimePs converge_ps = 5'000'000'000;
  double dead_fraction = 0;
  double mtbf_hours = 0;
  TimePs mttr_ps = 100'000'000'000;
  std::string cables = "switches";
  u64 seed = 1;
  TimePs until_ps = 0;
};

inline const std::array kFailureSettingsParameters = {
    Parameter<FailureSettings>{.key = "detect",
                               .field = &FailureSettings::detect_ps,
                               .quantity = Quantity::time_ps,
                               .max = 1e15,
                               .help = "from a cable's going down until its two switches choose other next hops",
                               .source = "engineering judgement: loss of signal, debounced"},
    Parameter<FailureSettings>{.key = "converge",
                               .field = &FailureSettings::converge_ps,
                               .quantity = Quantity::time_ps,
                               .max = 1e15,
                               .help = "from a cable's going down or up until all switches route accordingly; at "
                                       "least detect",
                               .source = "engineering judgement: BGP within a data centre"},
    Parameter<FailureSettings>{.key = "dead_fraction",
                               .field = &FailureSettings::dead_fraction,
                               .quantity = Quantity::ratio,
                               .max = 1,
                               .help = "this part of the cables, drawn at random, is down from before the run to its "
                                       "end, and all switches and NICs know it",
                               .source = "0: only what [[failure]] says"},
    Parameter<FailureSettings>{.key = "mtbf_hours",
                               .field = &FailureSettings::mtbf_hours,
                               .quantity = Quantity::ratio,
                               .max = 1e9,
                               .help = "mean time until a cable that is up goes down, in hours of simulated time, "
                                       "exponential, each cable by itself; 0 = none fails at random",
                               .source = "0: only what [[failure]] says"},
    Parameter<FailureSettings>{.key = "mttr",
                               .field = &FailureSettings::mttr_ps,
                               .quantity = Quantity::time_ps,
                               .min = 1,
                               .max = 1e18,
                               .help = "random failures: mean time until the cable is up again, exponential",
                               .source = "engineering judgement: 100 ms, a link that retrains"},
    Parameter<FailureSettings>{
        .key = "cables",
        .field = &FailureSettings::cables,
        .choices = "switches|nics|all",
        .help = "dead and random failures: of cables between switches, of those of NICs, or of all",
        .source = "engineering judgement"},
    Parameter<FailureSettings>{.key = "seed",
                               .field = &FailureSettings::seed,
                               .help = "dead and random failures: their own chance, whatever simulation.seed is",
                               .source = "engineering judgement"},
    Parameter<FailureSettings>{.key = "until",
                               .field = &FailureSettings::until_ps,
                               .quantity = Quantity::time_ps,
                               .max = 1e18,
                               .help = "random failures: none begins later; 0 = simulation.horizon, which must then "
                                       "be given",
                               .source = "engineering judgement"},
};

/// [[failure]]: a failure of a cable, or of all cables of a node.
struct FailureOptions {
  std::vector<std::string> link = {};
  u32 cable = 0;
  std::string node = {};
  std::string kind = "down";
  u64 rate_bits_per_s = 100'000'000'000;
  double bit_error_rate = 1e-9;
  TimePs at_ps = 0;
  TimePs until_ps = 0;
  u32 times = 1;
  TimePs period_ps = 0;
};

inline const std::array kFailureParameters = {
    Parameter<FailureOptions>{.key = "link",
                              .field = &FailureOptions::link,
                              .help = "the names of the two nodes that the cable joins, as `heddle info` and messages "
                                      "write them: [\"rtsw0\", \"ctsw1\"]; or give node",
                              .source = "empty: node is given"},
    Parameter<FailureOptions>{.key = "cable",
                              .field = &FailureOptions::cable,
                              .max = 65535,
                              .help = "which of several parallel cables, 1 = the first by port; 0 = all",
                              .source = "engineering judgement"},
    Parameter<FailureOptions>{.key = "node",
                              .field = &FailureOptions::node,
                              .help = "a switch or an endpoint by name: all its cables; or give link",
                              .source = "empty: link is given"},
    Parameter<FailureOptions>{.key = "kind",
                              .field = &FailureOptions::kind,
                              .choices = "down|rate|bit_errors|none",
                              .help = "down: nothing passes; rate: a slower line; bit_errors: packets are lost by "
                                      "chance; none: nothing happens, to compare with",
                              .source = "engineering judgement"},
    Parameter<FailureOptions>{.key = "rate",
                              .field = &FailureOptions::rate_bits_per_s,
                              .quantity = Quantity::bits_per_s,
                              .min = 125e6,
                              .max = 1e13,
                              .help = "what is left of the line rate, in both directions",
                              .source = "engineering judgement: one lane of four",
                              .only_with = "kind=rate"},
    Parameter<FailureOptions>{.key = "bit_error_rate",
                              .field = &FailureOptions::bit_error_rate,
                              .quantity = Quantity::ratio,
                              .min = 1e-18,
                              .max = 1e-3,
                              .help = "bits that are wrong after error correction, in both directions",
                              .source = "engineering judgement; a good link has less than 1e-12",
                              .only_with = "kind=bit_errors"},
    Parameter<FailureOptions>{.key = "at",
                              .field = &FailureOptions::at_ps,
                              .quantity = Quantity::time_ps,
                              .max = 1e18,
                              .help = "when it begins; 0: it was so before, and all switches and NICs know it",
                              .source = "engineering judgement"},
    Parameter<FailureOptions>{.key = "until",
                              .field = &FailureOptions::until_ps,
                              .quantity = Quantity::time_ps,
                              .max = 1e18,
                              .help = "when it is over; 0 = never",
                              .source = "engineering judgement"},
    Parameter<FailureOptions>{.key = "times",
                              .field = &FailureOptions::times,
                              .min = 1,
                              .max = 1e6,
                              .help = "flapping: it happens so often, every period from `at`",
                              .source = "engineering judgement: once"},
    Parameter<FailureOptions>{.key = "period",
                              .field = &FailureOptions::period_ps,
                              .quantity = Quantity::time_ps,
                              .max = 1e18,
                              .help = "flapping: from one beginning to the next; more than until - at",
                              .source = "to be chosen with times"},
};

}  // namespace heddle
