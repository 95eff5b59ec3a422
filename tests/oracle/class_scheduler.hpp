// Which class may send next at an egress port: strict priority, then deficit round robin (MODEL.md, 5.2).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "kernels/world/fabric.hpp"

namespace heddle::oracle {

/// Frame bytes of the packet that each class would send now; 0: the class has none, or it is paused.
using Heads = std::array<u32, kMaxClasses>;

class ClassScheduler {
 public:
  explicit ClassScheduler(const Fabric& fabric);
  /// Returns the class to send from, or nothing. Called only when the chosen packet starts at once.
  std::optional<u32> choose(const Heads& heads);

 private:
  std::vector<u32> strict_, weighted_;  // classes in ascending order
  std::array<u64, kMaxClasses> quantum_bytes_{}, deficit_bytes_{};
  std::size_t pointer_ = 0;  // position in weighted_
};

}  // namespace heddle::oracle
