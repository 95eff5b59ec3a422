// The parameters of routing. A policy's word comes from policies.hpp.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "kernels/base/parameter.hpp"
#include "kernels/routing/policies.hpp"

namespace heddle {

/// A tier's word for "as routing.policy says".
inline constexpr std::string_view kSamePolicy = "same";

/// [routing] as a configuration writes it.
struct RoutingOptions {
  std::string policy = "ecmp";
  std::string rtsw{kSamePolicy}, ctsw{kSamePolicy}, atsw{kSamePolicy};
  bool common_seed = false;
  std::string paths_file;

  /// What the switches of a tier do.
  const std::string& policy_of(Tier tier) const {
    const std::string& own = tier == Tier::ctsw ? ctsw : tier == Tier::atsw ? atsw : rtsw;
    return own == kSamePolicy ? policy : own;
  }
};

/// "ecmp|e_ecmp|...".
inline std::string joined_policy_names() {
  std::string all;
  for (const PolicyInfo& policy : routing_policies()) all.append(all.empty() ? "" : "|").append(policy.name);
  return all;
}

/// "ecmp: what it does; e_ecmp: ...".
inline std::string joined_policy_help() {
  std::string all;
  for (const PolicyInfo& policy : routing_policies()) {
    all.append(all.empty() ? "" : "; ").append(policy.name).append(": ").append(policy.help);
  }
  return all;
}

inline std::string joined_policy_sources() {
  std::string all;
  for (const PolicyInfo& policy : routing_policies()) all.append(all.empty() ? "" : "; ").append(policy.source);
  return all;
}

inline const std::string kPolicyWords = joined_policy_names(), kPolicyHelp = joined_policy_help(),
                         kPolicySources = joined_policy_sources(),
                         kTierPolicyWords = std::string(kSamePolicy) + "|" + kPolicyWords;

inline const std::array kRoutingParameters = {
    Parameter<RoutingOptions>{.key = "policy",
                              .field = &RoutingOptions::policy,
                              .choices = kPolicyWords,
                              .help = kPolicyHelp,
                              .source = kPolicySources},
    Parameter<RoutingOptions>{.key = "rtsw",
                              .field = &RoutingOptions::rtsw,
                              .choices = kTierPolicyWords,
                              .help = "policy of the RTSWs, and of the one switch of a star; same: as policy",
                              .source = "kernels/MODEL.md, 7.1"},
    Parameter<RoutingOptions>{.key = "ctsw",
                              .field = &RoutingOptions::ctsw,
                              .choices = kTierPolicyWords,
                              .help = "policy of the CTSWs; same: as policy",
                              .source = "kernels/MODEL.md, 7.1"},
    Parameter<RoutingOptions>{.key = "atsw",
                              .field = &RoutingOptions::atsw,
                              .choices = kTierPolicyWords,
                              .help = "policy of the ATSWs; same: as policy",
                              .source = "kernels/MODEL.md, 7.1"},
    Parameter<RoutingOptions>{.key = "common_seed",
                              .field = &RoutingOptions::common_seed,
                              .help = "one hash seed for all switches instead of one each: shows polarisation",
                              .source = "kernels/MODEL.md, 7.2"},
    Parameter<RoutingOptions>{.key = "paths_file",
                              .field = &RoutingOptions::paths_file,
                              .help = "CSV src,dst,data_path,ack_path; needed by policy explicit and by nothing else",
                              .source = "replays of other simulators' runs"},
};

}  // namespace heddle
