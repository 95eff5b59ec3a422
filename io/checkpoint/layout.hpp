// How words lie in a checkpoint, and what vouches for them.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

#include "io/hash_bytes.hpp"

namespace heddle::checkpoint_layout {

/// Words per chunk of a section, 1 MiB; a shorter section is one chunk of its own length.
inline constexpr u64 kChunkWords = 131072;

/// The section that is the header's (run_section.hpp).
inline constexpr std::string_view kRunSection = "run";

/// As hashes stand in attributes: 16 hexadecimal digits.
inline std::string hex(u64 hash) { return fmt::format("{:016x}", hash); }

/// One more block of a section's words.
inline u64 absorb_words(u64 hash, std::span<const u64> words) {
  for (const u64 word : words) hash = absorb(hash, word);
  return hash;
}

/// What a section adds to content_hash (mod 2^64), which so does not depend on their order: equal states, equal hashes.
/// Nothing of the header's section, which says whose state it is.
inline u64 section_hash(std::string_view name, u64 words, u64 hash) {
  if (name == kRunSection) return 0;
  return absorb(absorb(absorb_bytes(0, std::as_bytes(std::span(name))), words), hash);
}

}  // namespace heddle::checkpoint_layout
