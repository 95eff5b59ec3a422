#include "host/scenario/workload/collective/stages.hpp"

namespace heddle {

std::vector<std::vector<u32>> communicators_of(const Stage& stage, u32 ranks) {
  std::vector<std::vector<u32>> all;
  const u32 block = stage.stride * stage.ranks;
  for (u32 first = 0; first < ranks; ++first) {
    if (first % block >= stage.stride) continue;
    all.emplace_back();
    for (u32 i = 0; i < stage.ranks; ++i) all.back().push_back(first + i * stage.stride);
  }
  return all;
}

}  // namespace heddle
