// The parameters of routing, declared beside what they steer. A new policy adds its word to `policy` and its own rows.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "kernels/base/parameter.hpp"
#include "kernels/world/routing.hpp"

namespace heddle {

/// [routing] as a configuration writes it.
struct RoutingOptions {
  std::string policy = "ecmp";
  bool common_seed = false;
  std::string paths_file;
};

inline const std::array kRoutingParameters = {
    Parameter<RoutingOptions>{
        .key = "policy",
        .field = &RoutingOptions::policy,
        .choices = "ecmp|e_ecmp|explicit",
        .help = "ecmp: hash of the five-tuple; e_ecmp: and of the destination QP; explicit: paths_file",
        .source = "Meta SIGCOMM'24; FBOSS (UDF at 13 B, 3 B, UDP port 4791)"},
    Parameter<RoutingOptions>{.key = "common_seed",
                              .field = &RoutingOptions::common_seed,
                              .help = "one hash seed for all switches instead of one each: shows polarisation",
                              .source = "kernels/MODEL.md, 7.2"},
    Parameter<RoutingOptions>{.key = "paths_file",
                              .field = &RoutingOptions::paths_file,
                              .help = "CSV src,dst,data_path,ack_path; needed by policy explicit and by nothing else",
                              .source = "replays of other simulators' runs"},
};

/// The policy of a word that the table above allows.
inline RoutingPolicy routing_policy_of(std::string_view word) {
  if (word == "explicit") return RoutingPolicy::explicit_paths;
  return word == "e_ecmp" ? RoutingPolicy::e_ecmp : RoutingPolicy::ecmp;
}

}  // namespace heddle
