// A checkpoint of the simulated state as records of words, in any order.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// A record: kind << 56 | id, the number of words that follow, and those words.
enum class StateRecord : u64 {
  node = 1,    // id: node of the World; all state of the node
  wire = 2,    // id: link of the World; the packets on it, by class
  sums = 3,    // id: 0; a part's sums over the run, to be added to those of other parts
  warned = 4,  // id: 0; links for which a warning was given, and the warnings
};
inline constexpr u32 kStateRecordHead = 2;
constexpr u64 state_record_head(StateRecord kind, u64 id) { return static_cast<u64>(kind) << 56 | id; }
constexpr StateRecord kind_of(u64 head) { return static_cast<StateRecord>(head >> 56); }
constexpr u64 id_of(u64 head) { return head & ((u64{1} << 56) - 1); }

/// Number of leading words that are whole records.
constexpr u64 whole_records(std::span<const u64> words) {
  u64 at = 0;
  while (words.size() - at >= kStateRecordHead && words[at + 1] <= words.size() - at - kStateRecordHead)
    at += kStateRecordHead + words[at + 1];
  return at;
}

/// Takes whole records.
using RecordSink = std::function<void(std::span<const u64>)>;

/// Passes records on in blocks, so that a state of any size is saved within a few MB.
class RecordBlocks {
 public:
  explicit RecordBlocks(const RecordSink& sink) : sink_(sink) {}

  /// The buffer to which the next record is appended.
  std::vector<u64>& words() { return words_; }
  /// The record in words() is complete.
  void end_record() {
    if (words_.size() >= kBlockWords) end();
  }
  /// All records are complete.
  void end() {
    if (!words_.empty()) sink_(words_);
    words_.clear();
  }

 private:
  static constexpr u64 kBlockWords = u64{1} << 18;  // 2 MiB
  const RecordSink& sink_;
  std::vector<u64> words_;
};

}  // namespace heddle
