// A checkpoint of the simulated state as records of words, whose order means nothing.
#pragma once

#include <span>

#include "kernels/base/types.hpp"

namespace heddle {

/// A record: kind << 56 | id, the number of words that follow, and these.
enum class StateRecord : u64 {
  node = 1,    // id: node of the World; all that it keeps
  wire = 2,    // id: link of the World; the packets on it, by class
  sums = 3,    // id: 0; a part's sums over the run, to be added up
  warned = 4,  // id: 0; links of which has been warned, and the warnings
};
inline constexpr u32 kStateRecordHead = 2;
constexpr u64 state_record_head(StateRecord kind, u64 id) { return static_cast<u64>(kind) << 56 | id; }
constexpr StateRecord kind_of(u64 head) { return static_cast<StateRecord>(head >> 56); }
constexpr u64 id_of(u64 head) { return head & ((u64{1} << 56) - 1); }

/// How many of the words are whole records.
constexpr u64 whole_records(std::span<const u64> words) {
  u64 at = 0;
  while (words.size() - at >= kStateRecordHead && words[at + 1] <= words.size() - at - kStateRecordHead)
    at += kStateRecordHead + words[at + 1];
  return at;
}

}  // namespace heddle
