// Device-wide algorithms behind one small interface: Thrust's sequential system on the CPU, Thrust over CUB on a GPU.
// Integers only, so the order of a sum does not matter.
#pragma once

#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include "kernels/base/types.hpp"

namespace heddle {

/// Sum of f(0) ... f(n - 1) mod 2^64 under the execution policy (thrust::seq, thrust::device).
template <class Policy, class F>
u64 sum_over(const Policy& policy, u32 n, const F& f) {
  const thrust::counting_iterator<u32> first(0);
  return thrust::transform_reduce(policy, first, first + n, f, u64{0}, thrust::plus<u64>());
}

/// out[i] = f(i) for i < n.
template <class Policy, class F, class T>
void write_over(const Policy& policy, u32 n, const F& f, T* out) {
  const thrust::counting_iterator<u32> first(0);
  thrust::transform(policy, first, first + n, out, f);
}

}  // namespace heddle
