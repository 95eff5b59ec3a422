#include "tests/oracle/class_scheduler.hpp"

#include <algorithm>

namespace heddle::oracle {

ClassScheduler::ClassScheduler(const Fabric& fabric) {
  for (u32 c = 0; c < fabric.classes.size(); ++c) {
    bool strict = c == 0 || fabric.classes[c].strict;
    (strict ? strict_ : weighted_).push_back(c);
    quantum_bytes_[c] = static_cast<u64>(fabric.classes[c].weight) * fabric.max_frame_bytes;
  }
  if (!weighted_.empty()) deficit_bytes_[weighted_[0]] = quantum_bytes_[weighted_[0]];
}

std::optional<u32> ClassScheduler::choose(const Heads& heads) {
  for (u32 c : strict_) {
    if (heads[c] > 0) return c;
  }
  if (std::none_of(weighted_.begin(), weighted_.end(), [&](u32 c) { return heads[c] > 0; })) return std::nullopt;
  for (;;) {
    u32 p = weighted_[pointer_];
    if (heads[p] > 0 && deficit_bytes_[p] >= heads[p]) {
      deficit_bytes_[p] -= heads[p];
      return p;
    }
    if (heads[p] == 0) deficit_bytes_[p] = 0;
    pointer_ = (pointer_ + 1) % weighted_.size();
    u32 next = weighted_[pointer_];
    if (heads[next] > 0) deficit_bytes_[next] += quantum_bytes_[next];
  }
}

}  // namespace heddle::oracle
