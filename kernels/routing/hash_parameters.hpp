// The parameters of the switches' hash: section [routing.hash], and what [tier.NAME] says of it.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/parameter.hpp"
#include "kernels/world/routing_hash.hpp"

namespace heddle {

/// A list with one element holds for all tiers; a list with kListedTiers is for RTSW, CTSW, ATSW.
inline constexpr u32 kListedTiers = 3;
struct HashOptions {
  std::vector<std::string> function = {"ideal"};
  std::vector<std::string> fields = {"src_ip", "dst_ip", "ip_protocol", "l4_src_port", "l4_dst_port"};
  std::string seed = "per_switch";
  bool fold = false;
  std::vector<u64> offset = {0};
  u32 bits = 0;
};

/// A tier's word for "the function of routing.hash".
inline constexpr std::string_view kSameHash = "same";

/// What [tier.NAME] says of its switches' hash.
struct TierHashOptions {
  std::string function{kSameHash};
  std::vector<u64> offset;  // one value; none: as routing.hash
};

inline constexpr std::string_view kHashFunctionWords = "ideal|crc16|crc16_ccitt|crc32|crc32c|xor16";
inline const std::string kTierHashFunctionWords = std::string(kSameHash) + "|" + std::string(kHashFunctionWords);
inline constexpr std::string_view kHashFieldWords = "src_ip|dst_ip|ip_protocol|l4_src_port|l4_dst_port|dst_qp|in_port";
inline constexpr std::string_view kHashSeedWords = "same|per_tier|per_switch";
/// The hash functions for which fold, offset and bits have a meaning.
inline constexpr std::string_view kHashOfChips = "routing.hash.function=crc16|crc16_ccitt|crc32|crc32c|xor16";

inline constexpr std::array kHashParameters = {
    Parameter<HashOptions>{
        .key = "function",
        .field = &HashOptions::function,
        .choices = kHashFunctionWords,
        .help = "one for all switches, or a list of three: RTSWs, CTSWs, ATSWs (leaves, spines and cores have "
                "tier.NAME.hash_function); ideal: no two flows have anything in common; the others as chips have them "
                "(crc16 = CRC-16 BISYNC, Broadcom's default)",
        .source = "SAI_HASH_ALGORITHM; Broadcom RTAG7; ideal is our default: results then do not hang on one function"},
    Parameter<HashOptions>{.key = "fields",
                           .field = &HashOptions::fields,
                           .choices = kHashFieldWords,
                           .help = "what is hashed; e_ecmp and tables of flowlets always hash dst_qp too",
                           .source = "SONiC's ECMP hash fields; the five-tuple: Meta SIGCOMM'24, section 5.1"},
    Parameter<HashOptions>{.key = "seed",
                           .field = &HashOptions::seed,
                           .choices = kHashSeedWords,
                           .help = "same: one for all switches, which polarises; per_tier: RTSWs one, CTSWs another; "
                                   "per_switch: each its own",
                           .source = "SAI_SWITCH_ATTR_ECMP_DEFAULT_HASH_SEED; kernels/MODEL.md, 7.2"},
    Parameter<HashOptions>{.key = "fold",
                           .field = &HashOptions::fold,
                           .help = "the two halves of the hash are XORed: 32 bits become 16, 16 become 8",
                           .source = "Broadcom RTAG7 folds; off: kernels/MODEL.md, 7.2",
                           .only_with = kHashOfChips},
    Parameter<HashOptions>{.key = "offset",
                           .field = &HashOptions::offset,
                           .max = 31,
                           .help = "the hash is rotated to the right by so many bits; one for all switches, or a list "
                                   "of three: RTSWs, CTSWs, ATSWs (leaves, spines and cores have "
                                   "tier.NAME.hash_offset)",
                           .source = "SAI_SWITCH_ATTR_ECMP_DEFAULT_HASH_OFFSET",
                           .only_with = kHashOfChips},
    Parameter<HashOptions>{.key = "bits",
                           .field = &HashOptions::bits,
                           .max = 32,
                           .help = "only so many low bits of it are used, after that; 0: all. crc32 with 16 is SAI's "
                                   "CRC_32LO, and with offset = 16 its CRC_32HI",
                           .source = "kernels/MODEL.md, 7.2",
                           .only_with = kHashOfChips},
};

inline const std::array kTierHashParameters = {
    Parameter<TierHashOptions>{.key = "hash_function",
                               .field = &TierHashOptions::function,
                               .choices = kTierHashFunctionWords,
                               .help = "of these switches; same: as routing.hash.function",
                               .source = "SAI_HASH_ALGORITHM; kernels/MODEL.md, 7.2"},
    Parameter<TierHashOptions>{.key = "hash_offset",
                               .field = &TierHashOptions::offset,
                               .max = 31,
                               .help = "the hash of these switches is rotated to the right by so many bits; none: as "
                                       "routing.hash.offset",
                               .source = "SAI_SWITCH_ATTR_ECMP_DEFAULT_HASH_OFFSET; kernels/MODEL.md, 7.2",
                               .only_with = "hash_function=crc16|crc16_ccitt|crc32|crc32c|xor16"},
};

/// What one fabric's sections [tier.NAME] say, of the switches next to NICs first.
struct TierHashes {
  std::span<const TierHashOptions> tiers;  // empty: the fabric has no such sections
  std::string of;                          // begins their names: "fabric.0."; "": the first fabric's
};

/// The name of the function of tier number `place`, counted from 0 as in lists; `options` may be of wrong lengths.
std::string hash_function_of(const HashOptions& options, const TierHashOptions& tier, size_t place);

/// Describes what is wrong with the combination of these settings, and begins with a key; empty if nothing.
std::string problem_of_hash(const HashOptions& options, const TierHashes& own = {});

/// Converts options without problems.
RoutingHash routing_hash_of(const HashOptions& options, const TierHashes& own = {});

}  // namespace heddle
