// The two directions of a checkpoint: the same list of fields writes them as words, or reads them back.
#pragma once

#include <span>
#include <vector>

#include "kernels/base/words.hpp"

namespace heddle {

/// Appends every field as a word.
class Saver {
 public:
  static constexpr bool kLoads = false;
  explicit Saver(std::vector<u64>& words) : words_(words) {}
  template <class... T>
  void operator()(const T&... fields) {
    (words_.push_back(static_cast<u64>(fields)), ...);
  }

 private:
  std::vector<u64>& words_;
};

/// Reads every field from a word. Throws std::out_of_range when no word is left.
class Loader {
 public:
  static constexpr bool kLoads = true;
  explicit Loader(std::span<const u64> words) : source_(words) {}
  template <class... T>
  void operator()(T&... fields) {
    (read(fields), ...);
  }
  bool done() const { return source_.empty(); }

 private:
  template <class T>
  void read(T& field) {
    field = static_cast<T>(source_.word());
  }

  WordSource source_;
};

}  // namespace heddle
