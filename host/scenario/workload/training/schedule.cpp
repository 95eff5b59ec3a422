#include "host/scenario/workload/training/schedule.hpp"

#include <algorithm>

namespace heddle {

std::vector<Pass> one_forward_one_backward(u32 stage, u32 stages, u32 chunks, u32 micro_batches) {
  const u32 total = micro_batches * chunks, before_last = stages - stage - 1;
  const u32 warm_up = std::min(total, chunks == 1 ? before_last : 2 * before_last + (chunks - 1) * stages);
  // As many micro-batches as stages pass a chunk before they go to the next one; one at a time without chunks.
  const u32 together = chunks == 1 ? 1 : stages;
  const auto pass = [&](bool forward, u32 k) {
    const u32 chunk = k % (together * chunks) / together;
    return Pass{forward, k / (together * chunks) * together + k % together, forward ? chunk : chunks - 1 - chunk};
  };
  std::vector<Pass> order;
  for (u32 k = 0; k < warm_up; ++k) order.push_back(pass(true, k));
  for (u32 k = warm_up; k < total; ++k) {
    order.push_back(pass(true, k));
    order.push_back(pass(false, k - warm_up));
  }
  for (u32 k = total - warm_up; k < total; ++k) order.push_back(pass(false, k));
  return order;
}

}  // namespace heddle
