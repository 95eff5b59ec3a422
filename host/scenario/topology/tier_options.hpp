// Configuration of the tiers and cables of fabrics made of leaves, spines and cores: [tier.NAME] and [layer.NAME].
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "host/scenario/topology/buffer_options.hpp"
#include "host/scenario/topology/kinds.hpp"
#include "kernels/base/parameter.hpp"
#include "kernels/base/types.hpp"
#include "kernels/routing/parameters.hpp"
#include "kernels/world/tiers.hpp"

namespace heddle {

/// The kinds that have such tiers.
inline const std::string kOfLeaves = "topology.kind=" + topologies_of_leaves();

/// [tier.NAME]: the switches of a tier. Its memory is [tier.NAME.buffer], its routing policy is in RoutingOptions.
struct TierOptions {
  TimePs ingress_ps = 600'000;
  TimePs egress_ps = 0;
  bool ecn = true;
  BufferOptions buffer = rtsw_buffer_defaults();
};

inline const std::array kTierParameters = {
    Parameter<TierOptions>{.key = "ingress",
                           .field = &TierOptions::ingress_ps,
                           .quantity = Quantity::time_ps,
                           .max = 1e12,
                           .help = "pipeline before the decision",
                           .source = "as an RTSW: derived from Meta SIGCOMM'24, a round trip of 3 us in a rack",
                           .only_with = kOfLeaves},
    Parameter<TierOptions>{.key = "egress",
                           .field = &TierOptions::egress_ps,
                           .quantity = Quantity::time_ps,
                           .max = 1e12,
                           .help = "pipeline after the decision",
                           .source = "as an RTSW",
                           .only_with = kOfLeaves},
    Parameter<TierOptions>{.key = "ecn",
                           .field = &TierOptions::ecn,
                           .help = "whether these switches mark, where ecn.enabled is true",
                           .source = "engineering judgement: all do",
                           .only_with = kOfLeaves},
};

/// [layer.NAME]: the cables between two tiers, or of a tier. Those of NICs are [link] host_rate and host_propagation.
struct LayerOptions {
  u64 bits_per_s = 400'000'000'000;
  TimePs propagation_ps = 500'000;
};

inline const std::array kLayerParameters = {
    Parameter<LayerOptions>{.key = "rate",
                            .field = &LayerOptions::bits_per_s,
                            .quantity = Quantity::bits_per_s,
                            .min = 1e9,
                            .max = 1e13,
                            .help = "of each cable",
                            .source = "as the NICs'",
                            .only_with = kOfLeaves},
    Parameter<LayerOptions>{.key = "propagation",
                            .field = &LayerOptions::propagation_ps,
                            .quantity = Quantity::time_ps,
                            .max = 1e12,
                            .help = "of each cable",
                            .source = "engineering judgement: 100 m of fibre at 5 ns/m, above spines 250 m",
                            .only_with = kOfLeaves},
};

inline constexpr Tier kLeaf{1}, kSpine{2}, kCore{3};
/// Cables between leaves and spines, spines and cores, and spines of different groups: numbers of LeafOptions::layers.
inline constexpr u32 kLeafSpine = 0, kSpineCore = 1, kSpineSpine = 2;
inline constexpr std::array<std::string_view, 3> kLayerNames = {"leaf_spine", "spine_core", "spine_spine"};

struct LeafOptions {
  std::array<TierOptions, kLeafTierNames.size()> tiers;
  std::array<LayerOptions, kLayerNames.size()> layers = {
      {{}, {.propagation_ps = 1'250'000}, {.propagation_ps = 1'250'000}}};

  /// The section of a tier; nullptr where the tier is one of zones, or endpoints.
  const TierOptions* find(std::string_view tier) const {
    for (size_t i = 0; i < tiers.size(); ++i)
      if (kLeafTierNames[i] == tier) return &tiers[i];
    return nullptr;
  }
};

/// Fabric::tiers of such a topology, whether or not it has switches of each.
inline std::vector<TierInfo> leaf_tiers() {
  return {{"endpoint", "endpoint", "endpoints", "slow_receiver", ""},
          {"leaf", "leaf", "leaves", "tier.leaf.buffer", "tier.leaf.policy"},
          {"spine", "spine", "spines", "tier.spine.buffer", "tier.spine.policy"},
          {"core", "core", "cores", "tier.core.buffer", "tier.core.policy"}};
}

}  // namespace heddle
