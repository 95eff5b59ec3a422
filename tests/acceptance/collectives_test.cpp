// Every collective sends the bytes of its closed form, and small ones take the sum of their steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "io/results/bandwidth.hpp"
#include "kernels/base/units.hpp"
#include "tests/acceptance/cases.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/scratch.hpp"

namespace heddle::acceptance {
namespace {

constexpr TimePs kLaunch = 6'600'000, kProxy = 1'000'000, kFlush = 2'000'000, kPost = 2'700'000, kPostLl128 = 1'200'000;

/// No bound; and rates that make a byte of a whole channel take 50 ps by Simple, 64 by LL128 and 62.5 by NVLS.
const std::string kChannelRates[] = {
    "", "[collective]\nchannel_rate = '20 GB/s'\nll128_channel_rate = '15625 MB/s'\nnvls_channel_rate = '16 GB/s'\n"};

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
  // 512 KiB of a channel pass from server to server; one channel's ring is cut between two servers, the other's inside
  // one.
  EXPECT_EQ(packets("channels = 2\n" + simple, "broadcast"), (3u + 4) * 128);
  EXPECT_EQ(packets("channels = 2\n" + simple, "reduce"), (3u + 4) * 128);
  // Four trees of 3 edges between servers, 256 KiB up and down.
  EXPECT_EQ(packets("channels = 4\nalgorithm = 'tree'\n" + simple, "all_reduce"), 4u * 3 * 2 * 64);
  // 128 KiB from every rank to every rank of another server; to or from the root.
  EXPECT_EQ(packets(simple, "all_to_all"), 8u * 6 * 32);
  EXPECT_EQ(packets(simple + "pxn = true\n", "all_to_all"), 8u * 6 * 32) << "relayed or not";
  EXPECT_EQ(packets(simple, "gather"), 6u * 32);
  EXPECT_EQ(packets(simple, "scatter"), 6u * 32);
}

/// 4 servers of 3: every GPU is the head of 128 KiB on each of 4 channels, up and down 3 edges between servers.
TEST(Collectives, HeadsSendTheirPartsOverTheNetwork) {
  const Outcome outcome =
      run_engine(world_of(star_job(12, 3, "channels = 4\nalgorithm = 'nvls'\n", "all_reduce", "1536 KiB")));
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.totals.data_packets_received, 12u * 3 * 2 * 32);
}

/// Stages between servers: 4 servers, one rail for each of their 2 ranks, on which 512 KiB are reduced, or 128 KiB of
/// each rank gathered.
TEST(Collectives, ComposedOnesSendTheirClosedFormsOverTheNetwork) {
  const std::string simple = "protocol = 'simple'\n", channels = simple + "channels = 2\n";
  const std::string stages = channels + "algorithm = 'hierarchical'\n",
                    halves = channels + "algorithm = 'halving_doubling'\n";
  EXPECT_EQ(packets(stages, "all_reduce"), 2u * 2 * 3 * 128) << "on each rail 2 (n - 1) parts of its half";
  EXPECT_EQ(packets(stages, "all_gather"), 2u * 4 * 3 * 32);
  EXPECT_EQ(packets(stages, "reduce_scatter"), 2u * 4 * 3 * 32);
  EXPECT_EQ(packets(simple + "algorithm = 'hierarchical'\n", "all_to_all"), 8u * 6 * 32) << "as sent directly";
  // The first round is with the other rank of the server; in the next two a rank sends 256 and 128 KiB, and receives
  // them back.
  EXPECT_EQ(packets(halves, "all_reduce"), 8u * 2 * (64 + 32));
  EXPECT_EQ(packets(halves, "all_gather"), 8u * (64 + 32));
  EXPECT_EQ(packets(halves, "reduce_scatter"), 8u * (64 + 32));
}

/// Rank r sends r packets to every other rank, in one slice or two; rank 0 sends an empty one. Two ranks a server.
TEST(Collectives, AnAllToAllVSendsItsMatrixOverTheNetwork) {
  std::string matrix;
  u64 expected = 0;
  for (u32 from = 0; from < 8; ++from) {
    for (u32 to = 0; to < 8; ++to) {
      matrix += std::to_string(from * 4096) + (to == 7 ? "\n" : " ");
      if (from / 2 != to / 2) expected += std::max(from, 1u);
    }
  }
  const std::string file = test::fresh_file("matrix.txt");
  std::ofstream(file) << matrix;
  const std::string keys = "p2p_channels = 1\np2p_slice = '16 KiB'\nprotocol = 'simple'\n";
  const World world =
      world_of(fmt::format("[topology]\nkind = 'star'\nhosts = 8\n[[job]]\ngpus_per_server = 2\n{}[[job.collective]]\n"
                           "kind = 'all_to_all_v'\nmatrix_file = '{}'\n",
                           keys, file));
  for (const Outcome& outcome : {run_engine(world), simulate(world, {})}) {
    EXPECT_EQ(outcome.reason, EndReason::complete);
    EXPECT_EQ(outcome.totals.data_packets_received, expected);
  }
  EXPECT_EQ(world.collectives.collectives.at(0).bytes, 7u * 7 * 4096) << "what rank 7 sends";
}

/// Two servers of two GPUs. Each NIC sends what its own GPU and the other one have for its rail, and nothing else.
TEST(Collectives, WithPxnANicSendsOnItsRail) {
  const World world =
      world_of(star_job(4, 2, "p2p_channels = 1\npxn = true\nprotocol = 'simple'\n", "all_to_all", "64 KiB"));
  for (const Outcome& outcome : {run_engine(world), simulate(world, {})}) {
    EXPECT_EQ(outcome.reason, EndReason::complete);
    EXPECT_EQ(outcome.collectives.at(0).ranks_finished, 4u);
    EXPECT_EQ(outcome.totals.data_packets_received, 4u * 2 * 4);
  }
  for (const Qp& qp : world.traffic.qps) EXPECT_EQ(qp.src % 2, qp.dst % 2);
}

/// Four queue pairs in turn and few slots: slices are acknowledged out of order, and sources wait for the slots.
TEST(Collectives, ARelayFreesItsSlotsInOrder) {
  const World world = world_of(
      star_job(8, 4,
               "p2p_channels = 1\npxn = true\nprotocol = 'simple'\nslots = 3\np2p_slice = '4 KiB'\np2p_window = 2\n"
               "eager = '1 GB'\nqps_per_connection = 4\n",
               "all_to_all", "640 KiB', '640 KiB', '640 KiB") +
      "[[slow_receiver]]\nendpoints = [5]\ndrain_rate = '20 Gb/s'\n[link]\nhost_rate = '100 Gb/s'\n");
  const Outcome engine = run_engine(world);
  EXPECT_EQ(engine.reason, EndReason::complete);
  EXPECT_EQ(engine.event_digest, simulate(world, {}).event_digest);
}

/// LL doubles the bytes for its flags, LL128 adds a fifteenth. A tree's slice of LL128 has 17,280 B (144 lines of 120
/// B) here, so 5 packets of 4 KiB, and the last one, of 2,944 B, a packet.
TEST(Collectives, SendFlagsWithTheData) {
  const std::string tree = "channels = 4\nalgorithm = 'tree'\n";
  EXPECT_EQ(packets(tree + "protocol = 'll'\n", "all_reduce"), 4u * 3 * 2 * 128);
  EXPECT_EQ(packets(tree + "protocol = 'll128'\n", "all_reduce"), 4u * 3 * 2 * (262'144 / 17'280 * 5 + 1));
  EXPECT_EQ(packets("protocol = 'll'\n", "scatter"), 6u * 64) << "2 channels of 64 KiB, in slices of 32 KiB";
}

TEST(Collectives, ABarrierIsAnAllReduceOfOneNumber) {
  for (const char* keys : {"algorithm = 'ring'\nprotocol = 'simple'\n", "algorithm = 'tree'\n", ""}) {
    const std::string fabric = "[topology]\nkind = 'star'\nhosts = 8\n[[job]]\ngpus_per_server = 2\n";
    const Outcome barrier = run_engine(world_of(fabric + keys + "[[job.collective]]\nkind = 'barrier'\n"));
    const Outcome numbers = run_engine(world_of(star_job(8, 2, keys, "all_reduce", "4")));
    EXPECT_EQ(barrier.collectives.at(0).last_finish_ps, numbers.collectives.at(0).last_finish_ps) << keys;
  }
}

struct Way {
  TimePs copy, data, ack;
};

/// Times of one slice with its flags between two ranks on a star.
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

/// Two ranks, one above the other in both trees (each tree has half of the vector): up, down, each a copy, a post and a
/// path; and a last copy. The trees begin together and load different directions, so neither disturbs the other.
TEST(Collectives, ATreeOfTwoIsAFormula) {
  const std::string keys = "channels = 2\nmin_channel_bytes = 1\nalgorithm = 'tree'\nprotocol = 'simple'\n";
  for (const std::string& rates : kChannelRates) {
    const World simple = world_of(rates + star_job(2, 1, keys, "all_reduce", "1 KiB"));
    const Way s = way_of(simple, 512);
    const TimePs copy = rates.empty() ? s.copy : 512 * 100;  // both directions share 20 GB/s
    const TimePs step = copy + kPost + kProxy + s.data + kProxy + kFlush;
    expect_last_finish(simple, kLaunch + 2 * step + copy);
  }
}

/// A chain of n ranks behind one switch: n - 1 steps, of which the first waits for its CTS and for the answer to it.
TEST(Collectives, ABroadcastOfOneSliceIsAFormula) {
  for (const auto& [n, rates] : {std::pair{2u, kChannelRates[0]}, {5u, kChannelRates[0]}, {5u, kChannelRates[1]}}) {
    const World world = world_of(rates + star_job(n, 1, "channels = 1\nprotocol = 'll128'\n", "broadcast", "1200"));
    Way w = way_of(world, (1200 + 119) / 120 * 128);
    if (!rates.empty()) w.copy = 1280 * 60;  // 64 ps a byte of data, of which there are 15 in 16
    const std::vector<LinkId> path = some_path(world, 0, 1);
    const TimePs cts = path_ps(world, path, 182) + ser_ps(106, world.fabric.links[path.front()].ps_per_byte_q16);
    ASSERT_GT(cts, w.copy + kPostLl128);
    const TimePs received = kLaunch + kProxy + cts + w.data + (n - 2) * (w.copy + kPostLl128 + kProxy + w.data);
    expect_last_finish(world, received + std::max(w.copy, w.ack + kProxy));
  }
}

/// Three GPUs of a server, each the head of 16 B: it sends its parts for the other two heads, one after the other; the
/// sum comes to the head, then the multicast. The sums of heads 1 and 2 lack a part that was sent as the second, and
/// their multicasts meet at the port of GPU 0.
TEST(Collectives, TheSwitchOfAServerIsAFormula) {
  for (const std::string& rates : kChannelRates) {
    const World world = world_of(rates + star_job(3, 3, "channels = 1\nalgorithm = 'nvls'\n", "all_reduce", "48"));
    const CollectiveSettings& s = world.collectives.settings;
    const TimePs by_gpu = ser_ps(16, s.copy_ps_per_byte_q16), turn = ser_ps(16, s.nvls_ps_per_byte_q16);
    ASSERT_GT(turn, by_gpu);
    const TimePs copy = rates.empty() ? by_gpu : 3000;  // each GPU has a third of 16 GB/s
    const TimePs credit = s.nvlink_latency_ps, hop = s.post_latency_ps[kSwitchPost] + s.nvlink_latency_ps;
    expect_last_finish(world, kLaunch + credit + 2 * hop + 3 * copy + 4 * turn);
  }
}

/// GPU 2 fills the port of GPU 3 with a broadcast, so multicasts arrive there late, and its slots become free later
/// than those of GPUs 0 and 1.
TEST(Collectives, AMulticastWaitsForItsSlowestReceiver) {
  const std::string collective = "[[job.collective]]\nkind = ";
  const World world = world_of(
      "[topology]\nkind = 'star'\nhosts = 4\n[collective]\nnvlink_rate = '25 GB/s'\n"
      "[[job]]\ngpus = 4\ngpus_per_server = 4\nshare_gpus = true\nchannels = 1\nalgorithm = 'nvls'\nslots = 1\n" +
      collective +
      "'all_reduce'\nsizes = ['4 MiB']\n"
      "[[job]]\ngpus = 2\ngpus_per_server = 2\nfirst_gpu = 2\nshare_gpus = true\nprotocol = 'simple'\n" +
      collective + "'broadcast'\nsizes = ['16 MiB']\n");
  const Outcome outcome = run_engine(world), expected = simulate(world, {});
  ASSERT_EQ(outcome.collectives.size(), 2u);
  for (const u32 c : {0u, 1u}) {
    EXPECT_EQ(outcome.collectives[c].first_finish_ps, expected.collectives[c].first_finish_ps);
    EXPECT_EQ(outcome.collectives[c].last_finish_ps, expected.collectives[c].last_finish_ps);
  }
}

/// Ports carry (n + 1) / n of the data at the switch's efficiency of NVLink's rate.
TEST(Collectives, InAServerTheSwitchGivesItsPlateau) {
  const World world = world_of(star_job(8, 8, "algorithm = 'nvls'\n", "all_reduce", "1 GiB', '2 GiB"));
  const Outcome outcome = run_engine(world);
  const double more_us =
      collective_timing(world, outcome, 1).time_us - collective_timing(world, outcome, 0).time_us;  // the time of 1 GiB
  EXPECT_NEAR(1073.741824 * 1000 / more_us / (370 * 0.85 * 8 / 9), 1, 0.005) << more_us;
}

/// Two ranks send each other a slice by LL, twice. Both enter the second collective at one instant, so the slice
/// arrives before its CTS, unless the CTS was sent when the slot became free. A CTS is answered before data are sent.
TEST(Collectives, EagerOnesDoNotWaitForTheirCts) {
  for (const bool eager : {false, true}) {
    const std::string keys = "p2p_channels = 1\nprotocol = 'll'\n";
    const World world =
        world_of(star_job(2, 1, keys + (eager ? "eager = '1024 B'\n" : "eager = '1023 B'\n"), "send_recv", "1024") +
                 "repeat = 2\n");
    const Way w = way_of(world, 2048);
    const std::vector<LinkId> path = some_path(world, 0, 1);
    const TimePs cts = path_ps(world, path, 182) + ser_ps(106, world.fabric.links[path.front()].ps_per_byte_q16);
    ASSERT_GT(cts, w.copy);
    const TimePs first = kLaunch + kProxy + cts + w.data + w.ack + kProxy;
    const TimePs second = first + kLaunch + kProxy + (eager ? w.copy : cts) + w.data + w.ack + kProxy;
    for (const Outcome& outcome : {run_engine(world), simulate(world, {})}) {
      ASSERT_EQ(outcome.collectives.size(), 2u);
      EXPECT_EQ(outcome.collectives[0].last_finish_ps, first);
      EXPECT_EQ(outcome.collectives[1].last_finish_ps, second) << eager;
    }
  }
}

/// Each of two ranks creates a CTS when it is launched, and posts its slice when its proxy has time again.
TEST(Collectives, AProxyPostsASliceAfterACts) {
  const TimePs service = 3'000'000;
  const World world = world_of("[roce]\nproxy_service = '3 us'\n" +
                               star_job(2, 1, "p2p_channels = 1\nprotocol = 'll'\n", "send_recv", "1024"));
  const Way w = way_of(world, 2048);
  const std::vector<LinkId> path = some_path(world, 0, 1);
  ASSERT_GT(service, std::max(w.copy, path_ps(world, path, 182) + path_ps(world, path, 106)));
  expect_last_finish(world, kLaunch + kProxy + service + w.data + w.ack + kProxy);
}

/// Latencies of a GPU add to that of a kernel's launch where it sends and receives.
TEST(Collectives, SendRecvHasALatencyOfItsOwn) {
  for (const std::string kind : {"send_recv", "all_to_all", "all_reduce"}) {
    const auto finish_ps = [&](const std::string& p2p_latency) {
      const World world =
          world_of("[collective]\np2p_latency = '" + p2p_latency + "'\n" + star_job(2, 1, "", kind, "4 KiB"));
      return run_engine(world).collectives.at(0).last_finish_ps;
    };
    EXPECT_EQ(finish_ps("25 us") - finish_ps("0 us"), kind == "all_reduce" ? 0 : 25'000'000) << kind;
  }
}

/// A Simple collective, then an LL one, which would wait less for its CTS: their buffers differ, so no slice is
/// admitted ahead.
TEST(Collectives, EagerOnesOfAnotherProtocolWaitLikeOthers) {
  const auto finish_ps = [](const std::string& eager) {
    const World world = world_of(star_job(2, 1, "p2p_channels = 1\n" + eager, "send_recv", "32 KiB', '1024"));
    EXPECT_EQ(world.collectives.collectives.at(0).protocol, Protocol::simple);
    EXPECT_EQ(world.collectives.collectives.at(1).protocol, Protocol::ll);
    EXPECT_EQ(world.collectives.collectives.at(0).slots, world.collectives.collectives.at(1).slots);
    const Outcome outcome = run_engine(world);
    EXPECT_EQ(outcome.event_digest, simulate(world, {}).event_digest);
    return outcome.collectives.at(1).last_finish_ps;
  };
  EXPECT_EQ(finish_ps("eager = '1 GB'\n"), finish_ps(""));
}

/// A ring of 4 over one switch saves half of the CTSs and of their answers, which take two links each.
TEST(Collectives, ACtsMayAdmitAChunk) {
  const std::string keys = "channels = 1\nalgorithm = 'ring'\nprotocol = 'simple'\n";
  const auto hops = [&](const std::string& more) {
    const Outcome outcome = run_engine(world_of(star_job(4, 1, keys + more, "all_reduce", "16 MiB")));
    EXPECT_EQ(outcome.reason, EndReason::complete);
    return outcome.totals.packet_hops;
  };
  const u64 slices = 4 * 2 * 6 * 2;  // 4 connections, 2 loops of 4 chunks of 2 MiB, 6 hops, 2 slices a chunk
  EXPECT_EQ(hops("") - hops("slices_per_cts = 2\n"), slices / 2 * 2 * 2);
}

}  // namespace
}  // namespace heddle::acceptance
