// A queue of exactly Kmax is marked with Pmax, a longer one always (MODEL.md, 5.3).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"

namespace heddle::acceptance {
namespace {

/// Two senders to one receiver; with Pmax 0 nothing is marked up to Kmax.
World world_with(u64 kmax_bytes) {
  return world_of(
      fmt::format("[topology]\nkind = 'star'\nhosts = 3\n[workload]\njitter_packets = 0\n[ecn]\nkmin = '0 B'\n"
                  "kmax = '{} B'\npmax = 0\n[[generator]]\nkind = 'incast'\nfan_in = 2\ntarget = 2\nbytes = '40 KB'\n",
                  kmax_bytes));
}

TEST(MarkingEdge, AQueueOfKmaxIsNotBeyondIt) {
  u64 marked = 1, unmarked = 1 << 20;  // values of Kmax with and without marks
  while (unmarked - marked > 1) {
    const u64 kmax = (marked + unmarked) / 2;
    (simulate(world_with(kmax), {}).totals.marks != 0 ? marked : unmarked) = kmax;
  }
  EXPECT_GT(marked, 4096u) << "some packets waited";
  EXPECT_EQ(run_engine(world_with(unmarked)).totals.marks, 0u) << "the longest queue is Kmax";
  EXPECT_GT(run_engine(world_with(marked)).totals.marks, 0u) << "a byte longer";
}

}  // namespace
}  // namespace heddle::acceptance
