// The state digest is the same at every instant for every way to run a World, and distinguishes different states.
#include <gtest/gtest.h>

#include <set>

#include "host/scenario/build.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/instantiate/instantiate.hpp"
#include "kernels/observe/state_digest.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle {
namespace {

/// A congested World, with marks, CNPs, losses and a collective beside it.
World busy_world() {
  return build_world(R"(
[topology]
kind = "ai_zone"
racks = 2
gpus_per_rack = 8
ctsws = 2
uplinks_per_rtsw = 4
[buffer.rtsw]
bytes = "3 MB"
[ecn]
kmin = "20 KB"
kmax = "100 KB"
[dcqcn]
enabled = true
[[generator]]
kind = "incast"
fan_in = 7
bytes = "400 KB"
[[job]]
gpus = 8
gpus_per_server = 4
protocol = "simple"
[[job.collective]]
kind = "all_reduce"
sizes = ["200 KB"]
)",
                     "busy");
}

std::vector<u64> digests(const World& world, const EngineOptions& options) {
  Engine engine(world, options);
  std::vector<u64> out;
  for (TimePs t = 1; t < 200'000'000; t += 13'131'313) {
    if (!engine.advance(t)) break;
    out.push_back(engine.state_digest());
  }
  return out;
}

TEST(StateDigest, IsTheSameHoweverTheWorldIsRun) {
  const World world = busy_world();
  const std::vector<u64> plain = digests(world, {});
  ASSERT_GT(plain.size(), 4u);
  EXPECT_EQ(digests(world, {.threads = 2, .sharing_from_nodes = 0}), plain);
  EXPECT_EQ(digests(world, {.max_batch_ticks = 1}), plain);
  EXPECT_EQ(digests(world, {.shuffled = true, .shuffle_seed = 7}), plain);
  EXPECT_EQ(digests(world, {.numbering_seed = 11}), plain);
  World finer = world;
  finer.clocks.tick_ps /= 4;
  EXPECT_EQ(digests(finer, {}), plain);
}

TEST(StateDigest, TellsStatesApart) {
  const World world = busy_world();
  const std::vector<u64> plain = digests(world, {});
  for (std::size_t i = 1; i < plain.size(); ++i) EXPECT_NE(plain[i], plain[i - 1]);
  World other = world;
  other.seed = 2;
  EXPECT_NE(digests(other, {}).back(), plain.back());
}

/// Digest of endpoint 0 of a ring of two after `f` has changed the state of its channel end, which is not active yet.
template <class F>
u64 digest_of_a_waiting_channel_end(const F& f) {
  Model model;
  instantiate(oracle::ring_of_two(4, false, 1), {}, model);
  f(model.view.collective.send[0]);
  return EndpointDigest{&model.view, 0}(0);
}

TEST(StateDigest, TellsApartWhichCtssAChannelEndHasTakenBeforeItBegins) {
  const std::set<u64> different = {digest_of_a_waiting_channel_end([](SendState&) {}),
                                   digest_of_a_waiting_channel_end([](SendState& send) { send.granted = 1; }),
                                   digest_of_a_waiting_channel_end([](SendState& send) { send.early = 1; }),
                                   digest_of_a_waiting_channel_end([](SendState& send) { send.early = 2; }),
                                   digest_of_a_waiting_channel_end([](SendState& send) { send.asked = 1; })};
  EXPECT_EQ(different.size(), 5u);
}

TEST(Invariants, HoldInABusyWorld) {
  Engine engine(busy_world(), {.check = true});
  while (engine.advance(kNever)) {
  }
  EXPECT_EQ(engine.outcome().reason, EndReason::complete);
}

}  // namespace
}  // namespace heddle
