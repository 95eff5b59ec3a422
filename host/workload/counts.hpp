// How many entities a workload makes, in closed form: what memory it takes is known before any of it is.
#pragma once

#include "host/workload/workload.hpp"

namespace heddle {

/// Everything of which a workload may have very many.
struct WorkloadCounts {
  u64 messages = 0;
  u64 qps = 0;
  u64 connections = 0, lanes = 0;
  u64 nvlinks = 0;  // directed
  bool operator==(const WorkloadCounts&) const = default;
};

/// Of a workload that has been built.
WorkloadCounts counts_of(const World& world);

/// Of one that has not: `world` has a fabric and routing only. Exact, but for Poisson generators (the mean), jobs of all
/// free GPUs with fragmented placement (half of them), and generators whose pairs overlap (QPs are counted for each).
/// What build_workload will refuse counts as 0.
WorkloadCounts expected_counts(const WorkloadInput& input, const World& world);

}  // namespace heddle
