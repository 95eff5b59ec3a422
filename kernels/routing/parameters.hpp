// The parameters of routing. A policy's word comes from policies.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/parameter.hpp"
#include "kernels/routing/hash_parameters.hpp"
#include "kernels/routing/policy_info.hpp"

namespace heddle {

/// Word `index` of "packet|flowlet"; empty when there is no such word.
inline std::string_view word_at(std::string_view words, i64 index) {
  for (; index > 0 && !words.empty(); --index) words.remove_prefix(std::min(words.find('|'), words.size() - 1) + 1);
  return words.substr(0, words.find('|'));
}

inline i64 index_of_word(std::string_view words, std::string_view word) {
  i64 index = 0;
  while (!words.empty() && word_at(words, index) != word) ++index;
  return index;
}

/// A tier's word for "the policy of routing.policy".
inline constexpr std::string_view kSamePolicy = "same";

/// A policy's setting as a configuration writes it.
struct PolicyValue {
  const PolicyInfo* policy;
  const PolicyParameter* parameter;
  i64 number = parameter->value;
  std::string word = std::string(word_at(parameter->choices, parameter->value));  // for parameters with choices

  /// The setting as an integer; a word counts as its index.
  i64 value() const { return parameter->choices.empty() ? number : index_of_word(parameter->choices, word); }
};

/// The settings of all policies, in the order of the list.
inline std::vector<PolicyValue> default_policy_values() {
  std::vector<PolicyValue> values;
  for (const PolicyInfo& policy : routing_policies()) {
    for (const PolicyParameter& parameter : policy.parameters) values.push_back({&policy, &parameter});
  }
  return values;
}

/// The tiers of switches of zones, and of fabrics that have sections [tier.NAME].
inline constexpr std::array<std::string_view, 3> kZoneTierNames = {"rtsw", "ctsw", "atsw"},
                                                 kLeafTierNames = {"leaf", "spine", "core"};

/// What [tier.NAME] says of routing.
struct TierRouting {
  std::string policy{kSamePolicy};
};

/// [routing] as a configuration writes it.
struct RoutingOptions {
  std::string policy = "ecmp";
  std::string rtsw{kSamePolicy}, ctsw{kSamePolicy}, atsw{kSamePolicy};
  std::array<TierRouting, kLeafTierNames.size()> tiers;
  std::array<TierHashOptions, kLeafTierNames.size()> tier_hashes;  // of [tier.NAME], too
  std::vector<PolicyValue> values = default_policy_values();
  HashOptions hash;
  std::string paths_file, weights_file, demands_file;

  /// Policy of the switches of a tier: "rtsw".
  const std::string& policy_of(std::string_view tier) const {
    const std::string& own = own_policy_of(tier);
    return own == kSamePolicy ? policy : own;
  }
  /// Whether one of these tiers has this policy.
  bool uses(std::string_view name, std::span<const std::string_view> of_tiers) const {
    return std::ranges::any_of(of_tiers, [&](std::string_view tier) { return policy_of(tier) == name; });
  }

 private:
  const std::string& own_policy_of(std::string_view tier) const {
    for (size_t i = 0; i < tiers.size(); ++i)
      if (kLeafTierNames[i] == tier) return tiers[i].policy;
    return tier == "ctsw" ? ctsw : tier == "atsw" ? atsw : rtsw;
  }
};

/// Concatenates text_of(policy) of all policies, with `separator` between them.
template <class TextOf>
std::string joined_policies(std::string_view separator, const TextOf& text_of) {
  std::string all;
  for (const PolicyInfo& policy : routing_policies()) all.append(all.empty() ? "" : separator).append(text_of(policy));
  return all;
}

inline const std::string kPolicyWords = joined_policies("|", [](const PolicyInfo&p) { return p.name; }),
                         kPolicyHelp = joined_policies(
                             "; ", [](const PolicyInfo&p) { return std::string(p.name).append(": ").append(p.help); }),
                         kPolicySources = joined_policies("; ", [](const PolicyInfo&p) { return p.source; }),
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
    Parameter<RoutingOptions>{.key = "paths_file",
                              .field = &RoutingOptions::paths_file,
                              .help = "CSV src,dst,data_path,ack_path; needed by policy explicit and by nothing else",
                              .source = "replays of other simulators' runs"},
    Parameter<RoutingOptions>{.key = "weights_file",
                              .field = &RoutingOptions::weights_file,
                              .help = "for policy weighted: CSV switch,next_hop,weight with names of nodes; links that "
                                      "it does not name weigh 1; none: links weigh as their speeds",
                              .source = "kernels/MODEL.md, 7.7"},
    Parameter<RoutingOptions>{.key = "demands_file",
                              .field = &RoutingOptions::demands_file,
                              .help = "for policy traffic_engineering: CSV src_rack,dst_rack,bytes with names of "
                                      "switches; none: as routing.traffic_engineering.demands says",
                              .source = "kernels/MODEL.md, 7.8"},
};

inline const std::array kTierRoutingParameters = {
    Parameter<TierRouting>{.key = "policy",
                           .field = &TierRouting::policy,
                           .choices = kTierPolicyWords,
                           .help = "of these switches; same: as routing.policy",
                           .source = "kernels/MODEL.md, 7.1"},
};

}  // namespace heddle
