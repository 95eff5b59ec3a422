// Every collective sends what its closed form says, and small ones take what their steps add up to.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/base/units.hpp"
#include "tests/acceptance/cases.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"

namespace heddle::acceptance {
namespace {

constexpr TimePs kLaunch = 6'600'000, kProxy = 1'000'000, kFlush = 2'000'000, kPost = 2'700'000, kPostLl128 = 1'200'000;

std::string star_job(u32 gpus, u32 gpus_per_server, const std::string& keys, const std::string& kind,
                     const std::string& size) {
  return fmt::format(
      "[topology]\nkind = 'star'\nhosts = {}\n[[job]]\ngpus_per_server = {}\n{}[[job.collective]]\nkind = '{}'\n"
      "sizes = ['{}']\n",
      gpus, gpus_per_server, keys, kind, size);
}

/// 8 ranks in 4 servers of 2, 2 channels, 1 MiB: packets of 4 KiB over the network.
u64 packets(const std::string& keys, const std::string& kind) {
  const Outcome outcome = run_engine(world_of(star_job(8, 2, keys, kind, "1 MiB")));
  EXPECT_EQ(outcome.reason, EndReason::complete) << kind << ": " << outcome.explanation;
  EXPECT_EQ(outcome.collectives.at(0).ranks_finished, 8u);
  EXPECT_EQ(outcome.totals.retransmits, 0u);
  return outcome.totals.data_packets_received;
}

TEST(Collectives, SendTheirClosedFormsOverTheNetwork) {
  const std::string ring = "channels = 2\nalgorithm = 'ring'\n", simple = "protocol = 'simple'\n";
  // Chunks of 64 KiB are two slices of 32 KiB; every channel leaves each of the 4 servers once.
  EXPECT_EQ(packets(ring + simple, "all_reduce"), 2u * 4 * 14 * 16) << "2 (n - 1) chunks over each connection";
  EXPECT_EQ(packets(ring + simple, "all_gather"), 2u * 4 * 7 * 16);
  EXPECT_EQ(packets(ring + simple, "reduce_scatter"), 2u * 4 * 7 * 16);
  // 512 KiB of a channel pass from server to server; one channel's ring is cut between two servers, the other's in one.
  EXPECT_EQ(packets("channels = 2\n" + simple, "broadcast"), (3u + 4) * 128);
  EXPECT_EQ(packets("channels = 2\n" + simple, "reduce"), (3u + 4) * 128);
  // Four trees of 3 edges between servers, 256 KiB up and down.
  EXPECT_EQ(packets("channels = 2\nalgorithm = 'tree'\n" + simple, "all_reduce"), 4u * 3 * 2 * 64);
  // 128 KiB from everybody to everybody who is in another server; to or from the root.
  EXPECT_EQ(packets(simple, "all_to_all"), 8u * 6 * 32);
  EXPECT_EQ(packets(simple, "gather"), 6u * 32);
  EXPECT_EQ(packets(simple, "scatter"), 6u * 32);
}

/// Stages between servers: 4 servers, a rail for each of their 2 ranks, on which 512 KiB are reduced, or 128 KiB of
/// each gathered.
TEST(Collectives, ComposedOnesSendTheirClosedFormsOverTheNetwork) {
  const std::string simple = "protocol = 'simple'\n", channels = simple + "channels = 2\n";
  const std::string stages = channels + "algorithm = 'hierarchical'\n",
                    halves = channels + "algorithm = 'halving_doubling'\n";
  EXPECT_EQ(packets(stages, "all_reduce"), 2u * 2 * 3 * 128) << "on each rail 2 (n - 1) parts of its half";
  EXPECT_EQ(packets(stages, "all_gather"), 2u * 4 * 3 * 32);
  EXPECT_EQ(packets(stages, "reduce_scatter"), 2u * 4 * 3 * 32);
  EXPECT_EQ(packets(simple + "algorithm = 'hierarchical'\n", "all_to_all"), 8u * 6 * 32) << "as sent directly";
  // The first round is with the other rank of the server; of the next two a rank sends 256 and 128 KiB, and gets them
  // back.
  EXPECT_EQ(packets(halves, "all_reduce"), 8u * 2 * (64 + 32));
  EXPECT_EQ(packets(halves, "all_gather"), 8u * (64 + 32));
  EXPECT_EQ(packets(halves, "reduce_scatter"), 8u * (64 + 32));
}

/// Flags: LL doubles, LL128 adds a fifteenth.
TEST(Collectives, SendFlagsWithTheData) {
  const std::string tree = "channels = 2\nalgorithm = 'tree'\n";
  EXPECT_EQ(packets(tree + "protocol = 'll'\n", "all_reduce"), 4u * 3 * 2 * 128);
  const u64 ll128 = (262'144 + 119) / 120 * 128;
  EXPECT_EQ(packets(tree + "protocol = 'll128'\n", "all_reduce"), 4u * 3 * 2 * ((ll128 + 4095) / 4096));
  EXPECT_EQ(packets("protocol = 'll'\n", "scatter"), 6u * 64) << "2 channels of 64 KiB, in slices of 32 KiB";
}

struct Way {
  TimePs copy, data, ack;
};

/// Of one slice between two ranks on a star, with its flags.
Way way_of(const World& world, u32 bytes) {
  const std::vector<LinkId> path = some_path(world, 0, 1);
  return {ser_ps(bytes, world.collectives.settings.copy_ps_per_byte_q16), path_ps(world, path, bytes + 118),
          path_ps(world, path, 106)};
}

void expect_last_finish(const World& world, TimePs expected) {
  for (const Outcome& outcome : {run_engine(world), simulate(world, {})}) {
    EXPECT_EQ(outcome.reason, EndReason::complete);
    EXPECT_EQ(outcome.collectives.at(0).last_finish_ps, expected);
  }
}

/// Two ranks, one above the other in both trees (of which each has half of the vector): up, down, each a copy, a post
/// and a way; and a last copy. The trees begin together and load different directions, so neither disturbs the other.
TEST(Collectives, ATreeOfTwoIsAFormula) {
  const World simple =
      world_of(star_job(2, 1, "channels = 1\nalgorithm = 'tree'\nprotocol = 'simple'\n", "all_reduce", "1 KiB"));
  const Way s = way_of(simple, 512);
  const TimePs step = s.copy + kPost + kProxy + s.data + kProxy + kFlush;
  expect_last_finish(simple, kLaunch + 2 * step + s.copy);
}

/// A chain of n ranks behind one switch: n - 1 steps, of which the first waits for its CTS, and to answer that.
TEST(Collectives, ABroadcastOfOneSliceIsAFormula) {
  for (const u32 n : {2u, 5u}) {
    const World world = world_of(star_job(n, 1, "channels = 1\nprotocol = 'll128'\n", "broadcast", "1200"));
    const Way w = way_of(world, (1200 + 119) / 120 * 128);
    const std::vector<LinkId> path = some_path(world, 0, 1);
    const TimePs cts = path_ps(world, path, 182) + ser_ps(106, world.fabric.links[path.front()].ps_per_byte_q16);
    ASSERT_GT(cts, w.copy + kPostLl128);
    const TimePs received = kLaunch + kProxy + cts + w.data + (n - 2) * (w.copy + kPostLl128 + kProxy + w.data);
    expect_last_finish(world, received + std::max(w.copy, w.ack + kProxy));
  }
}

}  // namespace
}  // namespace heddle::acceptance
