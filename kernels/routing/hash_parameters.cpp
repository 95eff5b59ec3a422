#include "kernels/routing/hash_parameters.hpp"

#include "kernels/routing/parameters.hpp"

namespace heddle {
namespace {

/// The element for RTSWs, CTSWs or ATSWs, numbered from 0, of a list with one element for all tiers or one for each.
template <class T>
const T& of_tier(const std::vector<T>& list, u32 tier) {
  return list.size() == 1 ? list[0] : list[tier];
}

bool has_function(const TierHashOptions& tier) { return tier.function != kSameHash; }

/// Function and offset of a tier, and whether its own section gives them.
struct TierValues {
  const std::string& function;
  u64 offset;
  bool own_function = false, own_offset = false;

  HashFunction number() const { return static_cast<HashFunction>(index_of_word(kHashFunctionWords, function)); }
};

TierValues values_of(const HashOptions& options, const TierHashes& own, u32 tier) {
  if (own.tiers.empty()) return {of_tier(options.function, tier), of_tier(options.offset, tier)};
  const TierHashOptions& section = own.tiers[tier];
  const bool own_function = has_function(section), own_offset = !section.offset.empty();
  return {own_function ? section.function : of_tier(options.function, tier),
          own_offset ? section.offset[0] : of_tier(options.offset, tier), own_function, own_offset};
}

std::string key_of_tier(const TierHashes& own, u32 tier, std::string_view key) {
  return own.of + "tier." + std::string(kLeafTierNames[tier]) + "." + std::string(key);
}

template <class T>
bool wrong_length(const std::vector<T>& list) {
  return list.size() != 1 && list.size() != kListedTiers;
}

std::string problem_of_lists(const HashOptions& options) {
  if (!wrong_length(options.function) && !wrong_length(options.offset)) return {};
  const bool function = wrong_length(options.function);
  return std::string("routing.hash.") + (function ? "function" : "offset") + ": " +
         std::to_string(function ? options.function.size() : options.offset.size()) +
         " are given; give one for all switches, or three: for those next to NICs (RTSWs, leaves), those above them "
         "(CTSWs, spines), and the top (ATSWs, cores)";
}

/// A list has a value for every tier of the first fabric, so none of these may have one of its own.
std::string problem_of_two_values(const HashOptions& options, const TierHashes& own, u32 tier) {
  const TierHashOptions& section = own.tiers[tier];
  const bool function = has_function(section) && options.function.size() > 1;
  if (!own.of.empty() || (!function && (section.offset.empty() || options.offset.size() == 1))) return {};
  const std::string list = std::string("routing.hash.") + (function ? "function" : "offset");
  return key_of_tier(own, tier, function ? "hash_function" : "hash_offset") + ": " + list +
         " is a list with a value for each tier, so this one would have two; remove this key, or give " + list +
         " one value, for all tiers without their own";
}

std::string problem_of_tier(const HashOptions& options, const TierHashes& own, u32 tier) {
  if (!own.tiers.empty()) {
    if (own.tiers[tier].offset.size() > 1)
      return key_of_tier(own, tier, "hash_offset") + ": " + std::to_string(own.tiers[tier].offset.size()) +
             " are given; give one, for the switches of this tier";
    if (std::string problem = problem_of_two_values(options, own, tier); !problem.empty()) return problem;
  }
  const TierValues values = values_of(options, own, tier);
  if (values.number() == HashFunction::ideal) return {};
  const u32 width = hash_width(values.number()) / (options.fold ? 2 : 1);
  const std::string hash = values.function +
                           (values.own_function ? " (" + key_of_tier(own, tier, "hash_function") + ")" : "") +
                           (options.fold ? " with fold" : "") + " gives " + std::to_string(width) + " bits";
  if (values.offset >= width)
    return (values.own_offset ? key_of_tier(own, tier, "hash_offset") : "routing.hash.offset") + ": " + hash +
           ", so the offset must be at most " + std::to_string(width - 1) + "; it is " + std::to_string(values.offset);
  if (options.bits > width)
    return "routing.hash.bits: " + hash + ", so " + std::to_string(options.bits) +
           " cannot be used; give at most that, or 0 for all";
  return {};
}

}  // namespace

std::string hash_function_of(const HashOptions& options, const TierHashOptions& tier, size_t place) {
  if (has_function(tier)) return tier.function;
  if (options.function.empty()) return "ideal";
  return options.function[place < options.function.size() ? place : 0];
}

std::string problem_of_hash(const HashOptions& options, const TierHashes& own) {
  if (std::string problem = problem_of_lists(options); !problem.empty()) return problem;
  if (options.fields.empty())
    return "routing.hash.fields: with none, all flows of a switch would take one link; give at least one, such as "
           "\"dst_ip\"";
  for (u32 tier = 0; tier < kListedTiers; ++tier) {
    if (std::string problem = problem_of_tier(options, own, tier); !problem.empty()) return problem;
  }
  return {};
}

RoutingHash routing_hash_of(const HashOptions& options, const TierHashes& own) {
  RoutingHash hash;
  hash.seed = static_cast<HashSeed>(index_of_word(kHashSeedWords, options.seed));
  hash.fields = 0;
  for (const std::string& field : options.fields) hash.fields |= 1u << index_of_word(kHashFieldWords, field);
  for (u32 tier = 0; tier < kListedTiers; ++tier) {
    const TierValues values = values_of(options, own, tier);
    TierHash& result = hash.of_tier[tier + 1];
    result.function = values.number();
    if (result.function == HashFunction::ideal) continue;
    result.offset = static_cast<u32>(values.offset);
    result.fold = options.fold;
    result.bits = options.bits;
  }
  return hash;
}

}  // namespace heddle
