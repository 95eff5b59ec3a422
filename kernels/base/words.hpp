// Records and text as 64-bit words, for messages and files.
#pragma once

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// Appends records one after the other; each occupies whole words.
template <class T>
void append_records(std::vector<u64>& words, std::span<const T> records) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(u64) == 0);
  const std::size_t first = words.size();
  words.resize(first + records.size() * (sizeof(T) / sizeof(u64)));
  if (!records.empty()) std::memcpy(static_cast<void*>(&words[first]), records.data(), records.size_bytes());
}

template <class T>
std::vector<T> records_of(std::span<const u64> words) {
  std::vector<T> records(words.size() / (sizeof(T) / sizeof(u64)));
  if (!records.empty()) std::memcpy(static_cast<void*>(records.data()), words.data(), records.size() * sizeof(T));
  return records;
}

/// Appends the length and the bytes of a text.
inline void append_text(std::vector<u64>& words, std::string_view text) {
  words.push_back(text.size());
  const std::size_t first = words.size();
  words.resize(first + (text.size() + sizeof(u64) - 1) / sizeof(u64));
  if (!text.empty()) std::memcpy(&words[first], text.data(), text.size());
}

/// Reads appended records and text from the front, in order, from words that may have been damaged since.
class WordSource {
 public:
  explicit WordSource(std::span<const u64> words) : words_(words) {}

  bool empty() const { return words_.empty(); }
  /// The next `count` words. Throws std::out_of_range when there are fewer.
  std::span<const u64> words(u64 count) {
    if (count > words_.size()) throw std::out_of_range("more was expected than there is");
    const std::span<const u64> taken = words_.first(count);
    words_ = words_.subspan(count);
    return taken;
  }
  u64 word() { return words(1)[0]; }
  /// All remaining words.
  std::span<const u64> rest() { return words(words_.size()); }
  template <class T>
  T record() {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(u64) == 0);
    T record;
    std::memcpy(static_cast<void*>(&record), words(sizeof(T) / sizeof(u64)).data(), sizeof(T));
    return record;
  }
  /// Reads a text written by append_text().
  std::string text() {
    const u64 bytes = word();
    if (bytes / sizeof(u64) >= words_.size() + 1) throw std::out_of_range("more text was expected than there is");
    std::string text(bytes, '\0');
    const std::span<const u64> taken = words((bytes + sizeof(u64) - 1) / sizeof(u64));
    if (bytes != 0) std::memcpy(text.data(), taken.data(), bytes);
    return text;
  }

 private:
  std::span<const u64> words_;
};

}  // namespace heddle
