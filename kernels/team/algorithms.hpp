// Device-wide algorithms behind one small interface: Thrust's sequential system on the CPU, Thrust over CUB on a GPU.
// They add only integers, so the order of a sum does not matter.
#pragma once

#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/logical.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

#include "kernels/base/types.hpp"

namespace heddle {

/// Sum of f(0) ... f(n - 1) mod 2^64 under the execution policy (thrust::seq, thrust::device).
template <class Policy, class F>
u64 sum_over(const Policy& policy, u32 n, const F& f) {
  const thrust::counting_iterator<u32> first(0);
  return thrust::transform_reduce(policy, first, first + n, f, u64{0}, thrust::plus<u64>());
}

/// Joins T{} and n elements by `join`, in any order.
template <class Policy, class T, class Join>
T join_all(const Policy& policy, u32 n, const T* from, const Join& join) {
  return thrust::reduce(policy, from, from + n, T{}, join);
}

/// Calls f(i) for i < n.
template <class Policy, class F>
void each_over(const Policy& policy, u32 n, const F& f) {
  const thrust::counting_iterator<u32> first(0);
  thrust::for_each(policy, first, first + n, f);
}

/// out[i] = f(i) for i < n.
template <class Policy, class F, class T>
void write_over(const Policy& policy, u32 n, const F& f, T* out) {
  const thrust::counting_iterator<u32> first(0);
  thrust::transform(policy, first, first + n, out, f);
}

/// Whether f(i) holds for any i < n.
template <class Policy, class F>
bool any_over(const Policy& policy, u32 n, const F& f) {
  const thrust::counting_iterator<u32> first(0);
  return thrust::any_of(policy, first, first + n, f);
}

/// Writes every i < n for which f(i) holds, ascending. Returns how many there are.
template <class Policy, class F>
u32 select_over(const Policy& policy, u32 n, const F& f, u32* out) {
  const thrust::counting_iterator<u32> first(0);
  return static_cast<u32>(thrust::copy_if(policy, first, first + n, out, f) - out);
}

/// ends[i] = f(0) + ... + f(i) for i < n: the end of run i's items when it has f(i).
template <class Policy, class F>
void ends_over(const Policy& policy, u32 n, const F& f, u32* ends) {
  const thrust::counting_iterator<u32> first(0);
  thrust::transform_inclusive_scan(policy, first, first + n, ends, f, thrust::plus<u32>());
}

template <class Policy, class T, class Less>
void sort_all(const Policy& policy, u64 n, T* of, const Less& less) {
  thrust::sort(policy, of, of + n, less);
}

/// Sorts n keys and removes duplicates. Returns how many remain.
template <class Policy>
u32 sort_and_unify(const Policy& policy, u32 n, u64* keys) {
  thrust::sort(policy, keys, keys + n);
  return static_cast<u32>(thrust::unique(policy, keys, keys + n) - keys);
}

}  // namespace heddle
