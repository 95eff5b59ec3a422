// Hashes of what lies in files, against damage (not against forgery).
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "kernels/base/hash.hpp"

namespace heddle {

/// Absorbs the bytes as little-endian words, the last one filled up with zeros, then their number.
inline u64 absorb_bytes(u64 state, std::span<const std::byte> bytes) {
  const u64 size_bytes = bytes.size();
  u64 word = 0;
  for (; bytes.size() >= sizeof(word); bytes = bytes.subspan(sizeof(word))) {
    std::memcpy(&word, bytes.data(), sizeof(word));
    state = absorb(state, word);
  }
  if (!bytes.empty()) {
    word = 0;
    std::memcpy(&word, bytes.data(), bytes.size());
    state = absorb(state, word);
  }
  return absorb(state, size_bytes);
}

}  // namespace heddle
