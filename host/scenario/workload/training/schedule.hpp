// The order in which a pipeline stage processes the micro-batches of an iteration.
#pragma once

#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// A forward or backward pass of one micro-batch through a chunk of layers of a stage.
struct Pass {
  bool forward = true;
  u32 micro_batch = 0, chunk = 0;
  bool operator==(const Pass&) const = default;
};

/// One forward, one backward (1F1B; Narayanan et al., SC'21): interleaved where a stage has several chunks; in that
/// case micro_batches is a multiple of the stages.
std::vector<Pass> one_forward_one_backward(u32 stage, u32 stages, u32 chunks, u32 micro_batches);

}  // namespace heddle
