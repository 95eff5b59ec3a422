// The rates that the use of links is related to, where failures slow links down.
#include "io/results/mean_rates.hpp"

#include <gtest/gtest.h>

#include "io/results/reader.hpp"
#include "kernels/base/units.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

constexpr TimePs kEnd = 1'000'000;

/// Link 0 of 400G changes to this at these instants.
World slowed(const std::vector<LinkChange>& changes) {
  World world = small_world();
  world.failures.changes = changes;
  world.failures.first.assign(world.fabric.links.size() + 1, static_cast<u32>(changes.size()));
  world.failures.first[0] = 0;
  return world;
}

LinkChange at(TimePs t, u32 times_slower) {
  return {t, {times_slower * small_world().fabric.links[0].ps_per_byte_q16, 0}};
}

TEST(MeanRates, OfLinksThatChange) {
  const u64 nominal = bits_per_s_of(small_world().fabric.links[0].ps_per_byte_q16);
  const auto of_first = [](const World& world) { return mean_bits_per_s(world, kEnd)[0]; };
  EXPECT_EQ(of_first(small_world()), nominal);
  EXPECT_EQ(of_first(slowed({at(0, 10)})), nominal / 10);
  EXPECT_EQ(of_first(slowed({at(kEnd / 2, 2)})), nominal * 3 / 4);
  EXPECT_EQ(of_first(slowed({at(kEnd / 2, 0)})), nominal) << "the time in which it is down does not count";
  EXPECT_EQ(of_first(slowed({at(0, 2), at(kEnd / 4, 0), at(kEnd / 2, 1)})), (nominal / 2 + 2 * nominal) / 3);
  EXPECT_EQ(of_first(slowed({at(0, 0)})), nominal) << "it never was up";
  EXPECT_EQ(of_first(slowed({at(2 * kEnd, 10)})), nominal) << "the run was over";
  EXPECT_EQ(mean_bits_per_s(slowed({at(0, 10)}), kEnd)[1], nominal) << "another link";
}

TEST(MeanRates, ALinkOfATenthOfItsRateIsInFullUse) {
  const World world = slowed({at(0, 10)});
  Outcome outcome = small_outcome();
  outcome.end_ps = kEnd;
  outcome.links.assign(world.fabric.links.size(), {});
  outcome.links[0].sent_bytes = 2'500;  // half of what 40G carry in a microsecond
  outcome.links[1].sent_bytes = 5'000;  // a tenth of what 400G do
  const std::string path = fresh_folder() + "/slowed.h5";
  ResultWriter writer(path, world, small_settings());
  writer.finish(outcome, {});
  const RunSummary run = read_summary(path);
  ASSERT_EQ(run.link_summary.busiest.size(), 2u);
  EXPECT_EQ(run.link_summary.busiest[0].name, "gpu0 -> rtsw0");
  EXPECT_NEAR(run.link_summary.busiest[0].use, 0.5, 1e-6);
  EXPECT_NEAR(run.link_summary.busiest[1].use, 0.1, 1e-6);
}

}  // namespace
}  // namespace heddle::test
