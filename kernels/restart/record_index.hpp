// An index of the records of a saved state, so that a part of the World reads only its own.
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernels/restart/records.hpp"

namespace heddle {

/// Appends the head and the position of every record; `records` are whole and begin at `first_word` of the state.
inline void index_records(std::span<const u64> records, u64 first_word, std::vector<u64>& index) {
  for (u64 at = 0; at < records.size(); at += kStateRecordHead + records[at + 1])
    index.insert(index.end(), {records[at], first_word + at});
}

/// The words [first, end) of a state.
struct WordRange {
  u64 first = 0, end = 0;
  bool operator==(const WordRange&) const = default;
};

/// Ranges that hold the records whose heads are wanted; adjacent records share a range. `index` is that of a state of
/// `words` words and may have been damaged: throws std::out_of_range when it is invalid.
inline std::vector<WordRange> wanted_words(std::span<const u64> index, u64 words,
                                           const std::function<bool(u64 head)>& wanted) {
  std::vector<WordRange> ranges;
  if (index.size() % 2 != 0 || (words > 0) != !index.empty() || (words > 0 && index[1] != 0))
    throw std::out_of_range("its index does not fit its state");
  for (u64 i = 0; i < index.size(); i += 2) {
    const u64 first = index[i + 1], end = i + 3 < index.size() ? index[i + 3] : words;
    if (first >= end || end > words) throw std::out_of_range("its index does not fit its state");
    if (!wanted(index[i])) continue;
    if (ranges.empty() || ranges.back().end != first) ranges.push_back({first, first});
    ranges.back().end = end;
  }
  return ranges;
}

}  // namespace heddle
