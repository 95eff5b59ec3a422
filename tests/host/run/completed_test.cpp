// Completed work of a run, as its progress line gives it.
#include "host/run/completed.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace heddle {
namespace {

World two_collectives() {
  World world;
  Job job;
  job.ranks = {0, 1};
  job.collectives = {0, 1};
  world.collectives.jobs.push_back(job);
  world.collectives.collectives.resize(2);
  return world;
}

Event finished(u64 collective, u64 rank) {
  return {.value = collective << 32 | rank, .kind = EventKind::rank_finished};
}

TEST(Completed, ACollectiveIsWhenAllItsRanksAre) {
  Completed completed(two_collectives());
  completed.take(std::array{finished(0, 1), Event{.value = 3, .kind = EventKind::message_acked}});
  EXPECT_EQ(completed.collectives(), 0u);
  EXPECT_EQ(completed.messages(), 1u);
  completed.take(std::array{finished(0, 0), finished(1, 0)});
  EXPECT_EQ(completed.collectives(), 1u);
}

TEST(Completed, ResumesFromACheckpoint) {
  Completed before(two_collectives()), after(two_collectives());
  before.take(std::array{finished(0, 0), finished(0, 1), finished(1, 0), Event{.kind = EventKind::message_acked}});
  after.restore(before.words());
  EXPECT_EQ(after.collectives(), 1u);
  EXPECT_EQ(after.messages(), 1u);
  after.take(std::array{finished(1, 1)});
  EXPECT_EQ(after.collectives(), 2u);
  EXPECT_THROW(after.restore(std::array<u64, 2>{}), std::out_of_range) << "words of another workload";
}

}  // namespace
}  // namespace heddle
