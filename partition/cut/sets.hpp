// Connected sets of nodes.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// Disjoint sets; the least member identifies its set.
class Sets {
 public:
  explicit Sets(std::size_t members) : parent_(members) { std::iota(parent_.begin(), parent_.end(), 0u); }

  u32 find(u32 i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  void join(u32 a, u32 b) {
    a = find(a), b = find(b);
    if (a < b) {
      parent_[b] = a;
    } else {
      parent_[a] = b;
    }
  }

 private:
  std::vector<u32> parent_;
};

}  // namespace heddle
