#include "kernels/routing/hash_parameters.hpp"

#include "kernels/routing/parameters.hpp"

namespace heddle {
namespace {

/// The element for RTSWs, CTSWs or ATSWs, numbered from 0, of a list with one element for all tiers or one for each.
template <class T>
const T& of_tier(const std::vector<T>& list, u32 tier) {
  return list.size() == 1 ? list[0] : list[tier];
}

HashFunction function_of(const HashOptions& options, u32 tier) {
  return static_cast<HashFunction>(index_of_word(kHashFunctionWords, of_tier(options.function, tier)));
}

/// Width of the hash after folding, in bits.
u32 width_of(const HashOptions& options, u32 tier) {
  return hash_width(function_of(options, tier)) / (options.fold ? 2 : 1);
}

template <class T>
bool wrong_length(const std::vector<T>& list) {
  return list.size() != 1 && list.size() != kListedTiers;
}

}  // namespace

std::string problem_of_hash(const HashOptions& options) {
  if (wrong_length(options.function) || wrong_length(options.offset)) {
    const bool function = wrong_length(options.function);
    return std::string("routing.hash.") + (function ? "function" : "offset") + ": " +
           std::to_string(function ? options.function.size() : options.offset.size()) +
           " are given; give one for all switches, or three: for those next to NICs (RTSWs, leaves), those above them "
           "(CTSWs, spines), and the top (ATSWs, cores)";
  }
  if (options.fields.empty())
    return "routing.hash.fields: with none, all flows of a switch would take one link; give at least one, such as "
           "\"dst_ip\"";
  for (u32 tier = 0; tier < kListedTiers; ++tier) {
    if (function_of(options, tier) == HashFunction::ideal) continue;
    const u32 width = width_of(options, tier);
    const std::string hash = of_tier(options.function, tier) + (options.fold ? " with fold" : "") + " gives " +
                             std::to_string(width) + " bits";
    if (of_tier(options.offset, tier) >= width)
      return "routing.hash.offset: " + hash + ", so the offset must be at most " + std::to_string(width - 1) +
             "; it is " + std::to_string(of_tier(options.offset, tier));
    if (options.bits > width)
      return "routing.hash.bits: " + hash + ", so " + std::to_string(options.bits) +
             " cannot be used; give at most that, or 0 for all";
  }
  return {};
}

RoutingHash routing_hash_of(const HashOptions& options) {
  RoutingHash hash;
  hash.seed = static_cast<HashSeed>(index_of_word(kHashSeedWords, options.seed));
  hash.fields = 0;
  for (const std::string& field : options.fields) hash.fields |= 1u << index_of_word(kHashFieldWords, field);
  for (u32 tier = 0; tier < kListedTiers; ++tier) {
    TierHash& own = hash.of_tier[tier + 1];
    own.function = function_of(options, tier);
    if (own.function == HashFunction::ideal) continue;
    own.offset = static_cast<u32>(of_tier(options.offset, tier));
    own.fold = options.fold;
    own.bits = options.bits;
  }
  return hash;
}

}  // namespace heddle
