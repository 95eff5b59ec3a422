// All-to-alls in closed form: equality with their tables, and the cost of a connection before and after its first use.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "kernels/instantiate/instantiate.hpp"
#include "kernels/state/pairs.hpp"
#include "tests/acceptance/cases.hpp"
#include "tests/acceptance/worlds.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/oracle/tables.hpp"

namespace heddle::acceptance {
namespace {

constexpr u64 kGiB = u64{1} << 30;

/// Two all-to-alls beside each other, 24 and 16 GPUs, drawn from five racks.
World two_jobs(u32 gpus_per_server, u32 channels, u32 qps, const char* more = "") {
  return world_of(fmt::format(R"(
[simulation]
seed = 5
horizon = "3 ms"
[topology]
kind = "ai_zone"
racks = 5
gpus_per_rack = 8
ctsws = 2
uplinks_per_rtsw = 2
[routing]
policy = "e_ecmp"
{4}
[[job]]
gpus = 24
placement = "random"
gpus_per_server = {0}
p2p_channels = {1}
qps_per_connection = {2}
p2p_window = 3
[[job.collective]]
kind = "all_to_all"
sizes = ["{3} KiB", "48 KiB"]
[[job]]
gpus = 16
placement = "random"
gpus_per_server = {0}
p2p_channels = 1
slots = 2
p2p_slice = "16 KiB"
qps_per_connection = {2}
qp_scaling = "split"
[[job.collective]]
kind = "all_to_all"
sizes = ["{3} KiB"]
repeat = 2
)",
                              gpus_per_server, channels, qps, 160 * channels, more));
}

/// The two worlds instantiated: in closed form, and from tables.
struct Both {
  explicit Both(const World& world) : compact(world), full(oracle::with_tables(world)) {
    instantiate(compact, {}, closed);
    instantiate(full, {}, tables);
  }
  World compact, full;
  Model closed, tables;
};

void expect_same_queue_pairs(const Both& both) {
  const View &a = both.closed.view, &b = both.tables.view;
  ASSERT_GT(b.endpoint.first_sender[b.endpoints], 0u);
  for (u32 e = 0; e < a.endpoints; ++e) {
    const PairsRank pairs(a, e), none(b, e);
    ASSERT_FALSE(none.present());
    ASSERT_EQ(a.endpoint.first_sender[e], b.endpoint.first_sender[e]);
    ASSERT_EQ(a.endpoint.first_receiver[e], b.endpoint.first_receiver[e]);
    ASSERT_EQ(a.endpoint.first_sender_plan[e], 0u) << "there are no tables";
    for (u32 n = 0; n < b.endpoint.first_sender[e + 1] - b.endpoint.first_sender[e]; ++n) {
      const SenderPlan x = sender_plan(a, pairs, e, n), y = sender_plan(b, none, e, n);
      ASSERT_EQ(x.dst, y.dst);
      ASSERT_EQ(x.receiver_number, y.receiver_number);
      ASSERT_EQ(x.entropy, y.entropy);
      ASSERT_EQ(x.traffic_class, y.traffic_class);
      ASSERT_EQ(x.connection, y.connection);
      ASSERT_EQ(x.scaling_index, y.scaling_index);
      ASSERT_EQ(y.messages, 0u);
    }
    for (u32 n = 0; n < b.endpoint.first_receiver[e + 1] - b.endpoint.first_receiver[e]; ++n) {
      const ReceiverPlan x = receiver_plan(a, pairs, e, n), y = receiver_plan(b, none, e, n);
      ASSERT_EQ(x.src, y.src);
      ASSERT_EQ(x.sender_number, y.sender_number);
      ASSERT_EQ(x.entropy, y.entropy);
      ASSERT_EQ(x.connection, y.connection);
      ASSERT_EQ(x.scaling_index, y.scaling_index);
      ASSERT_EQ(x.answer_class, y.answer_class);
      ASSERT_EQ(x.cts_class, y.cts_class);
    }
  }
}

void expect_same_channel_ends(const Both& both) {
  const View &a = both.closed.view, &b = both.tables.view;
  for (u32 e = 0; e < a.endpoints; ++e) {
    const PairsRank pairs(a, e), none(b, e);
    ASSERT_EQ(a.collective.first_channel_end[e], b.collective.first_channel_end[e]);
    for (u32 l = b.collective.first_channel_end[e]; l < b.collective.first_channel_end[e + 1]; ++l) {
      const ChannelEndPlan x = channel_end_plan(a, pairs, e, l), y = channel_end_plan(b, none, e, l);
      ASSERT_EQ(x.send, y.send);
      ASSERT_EQ(x.recv, y.recv);
      ASSERT_EQ(x.member, y.member);
      const bool sends = !y.send.none();
      ASSERT_EQ(pairs.sends(l), sends);
      const u32 id = (sends ? y.send : y.recv).connection[0];
      const ConnectionPlan c = pairs.connection(id), d = b.collective.connection[id];
      ASSERT_EQ(sends ? c.send_end : c.recv_end, sends ? d.send_end : d.recv_end);
      ASSERT_EQ(c.split, d.split);
      ASSERT_EQ(c.qps, d.qps);
      ASSERT_EQ(c.link == kNone, d.link == kNone);
      if (c.link != kNone) {
        ASSERT_EQ(a.collective.nvlink[c.link].src, b.collective.nvlink[d.link].src);
        ASSERT_EQ(a.collective.nvlink[c.link].dst, b.collective.nvlink[d.link].dst);
        continue;
      }
      ASSERT_EQ(c.first_sender, d.first_sender);
      ASSERT_EQ(c.first_receiver, d.first_receiver);
    }
  }
}

TEST(AllToAll, ClosedFormsSayWhatTablesWould) {
  for (const u32 gpus_per_server : {1u, 2u, 8u}) {
    for (const u32 channels : {1u, 3u}) {
      for (const u32 qps : {1u, 4u}) {
        SCOPED_TRACE(fmt::format("{} GPUs a server, {} channels, {} QPs", gpus_per_server, channels, qps));
        const Both both(
            two_jobs(gpus_per_server, channels, qps,
                     qps == 1 ? "" : "[workload]\nsource_port = \"qp\"\n[roce]\nack_high_priority = false\n"));
        ASSERT_TRUE(both.compact.traffic.qps.empty());
        ASSERT_TRUE(both.compact.collectives.connections.empty());
        ASSERT_TRUE(both.compact.collectives.channel_ends.empty());
        EXPECT_EQ(count_qps(both.compact), both.full.traffic.qps.size());
        EXPECT_EQ(count_connections(both.compact.collectives), both.full.collectives.connections.size());
        expect_same_queue_pairs(both);
        expect_same_channel_ends(both);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(AllToAll, RunsTheSameWithAndWithoutTables) {
  for (const char* more : {"", "[dcqcn]\nenabled = true\n[ecn]\nenabled = true\n"}) {
    const World compact = two_jobs(2, 2, 3, more), full = oracle::with_tables(compact);
    Engine a(compact, {}), b(full, {});
    for (TimePs t = 7'000'000; a.advance(t); t += 7'000'000) {
      b.advance(t);
      ASSERT_EQ(a.state_digest(), b.state_digest()) << t;
    }
    b.advance(kNever);
    const Outcome x = a.outcome(), y = b.outcome();
    EXPECT_EQ(x.digest, y.digest);
    EXPECT_EQ(x.end_ps, y.end_ps);
    EXPECT_EQ(x.reason, EndReason::complete);
    EXPECT_EQ(x.totals.packet_hops, y.totals.packet_hops);
    EXPECT_LE(a.memory_bytes(), b.memory_bytes());
  }
}

/// Messages of other GPUs have plans beside an all-to-all whose ranks have none; both are cut short.
TEST(AllToAll, LeavesTheMessagesOfOtherGpusAsTheyAre) {
  const World world = world_of(R"(
[simulation]
horizon = "15 us"
[topology]
kind = "star"
hosts = 12
[[job]]
gpus = 8
gpus_per_server = 1
[[job.collective]]
kind = "all_to_all"
sizes = ["1 MiB"]
[[message]]
src = 8
dst = 9
bytes = 3_000_000
[[message]]
src = 10
dst = 9
bytes = 4_000
[[message]]
src = 9
dst = 11
bytes = 2_000_000
)");
  ASSERT_TRUE(world.collectives.connections.empty());
  const Outcome a = run_engine(world), b = simulate(world, {});
  ASSERT_EQ(a.messages.size(), 3u);
  for (u32 m = 0; m < 3; ++m) EXPECT_EQ(a.messages[m].received_bytes, b.messages[m].received_bytes) << m;
  EXPECT_GT(a.messages[0].received_bytes, 100'000u);
  EXPECT_LT(a.messages[0].received_bytes, 3'000'000u);
  EXPECT_EQ(a.messages[2].received_bytes, 4'000u);
  EXPECT_EQ(a.event_digest, b.event_digest);
}

/// A GPU that carries other traffic needs tables: a message, another job, explicit paths.
TEST(AllToAll, NeedsTablesWhereItIsNotAlone) {
  const char* job = R"(
[topology]
kind = "star"
hosts = 8
[[job]]
gpus = 4
gpus_per_server = 1
share_gpus = true
[[job.collective]]
kind = "all_to_all"
sizes = ["4 KiB"]
)";
  const auto tables = [&](const std::string& more) { return world_of(job + more).collectives.connections.size(); };
  EXPECT_EQ(tables(""), 0u);
  EXPECT_EQ(tables("[[message]]\nsrc = 4\ndst = 5\nbytes = 1\n"), 0u) << "of other GPUs";
  EXPECT_EQ(tables("[[message]]\nsrc = 4\ndst = 3\nbytes = 1\n"), 4u * 3 * 2);
  EXPECT_EQ(
      tables("[[job]]\ngpus = 2\ngpus_per_server = 1\n[[job.collective]]\nkind = \"gather\"\nsizes = [\"1 KiB\"]\n"),
      4u * 3 * 2 + 2);
}

/// 33.5 million connections, with DCQCN: no state exists for them before they are used.
TEST(AllToAll, OfAWholeZoneTakesMemoryAsItIsUsed) {
  const World world = world_of(zone(256, 16) + all_reduce(4096, 8, "64 MiB"),
                               {"job.0.collective.0.kind=all_to_all", "job.0.algorithm=auto", "simulation.horizon=6 us",
                                "collective.launch_latency=0 s", "dcqcn.enabled=true"});
  EXPECT_EQ(count_connections(world.collectives), u64{4096} * 4095 * 2);
  EXPECT_EQ(count_qps(world), u64{4096} * 4088 * 2);
  EngineOptions options;
  options.memory_limit_bytes = 2 * kGiB;
  Engine engine(world, options);
  const u64 before = engine.memory_bytes();
  EXPECT_LE(before, kGiB / 4);
  while (engine.advance(kNever)) {
  }
  EXPECT_FALSE(engine.exhausted());
  EXPECT_GT(engine.totals().packet_hops, 4096u * 30) << "slices are admitted and sent";
  EXPECT_LE(engine.memory_bytes(), kGiB);
#if !defined(__SANITIZE_ADDRESS__)  // AddressSanitizer takes memory of its own
  rusage usage{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  EXPECT_LE(static_cast<u64>(usage.ru_maxrss) * 1024, 4 * kGiB);
#endif
}

/// A run that resumes from a checkpoint counts the connections in use then: less is left for packets.
TEST(AllToAll, CountsItsConnectionsAgainAfterARestart) {
  const World world = world_of(zone(16, 8) + all_reduce(128, 8, "1 MiB"),
                               {"job.0.collective.0.kind=all_to_all", "job.0.algorithm=auto", "dcqcn.enabled=true"});
  EngineOptions options;
  options.memory_limit_bytes = kGiB;
  Engine first(world, options), second(world, options);
  const u64 before = first.memory_bytes();
  constexpr TimePs kWhen = 40'000'000;
  ASSERT_TRUE(first.advance(kWhen));
  first.save([&](std::span<const u64> records) { second.load(records); });
  second.go_on_at(kWhen);
  const u64 used = first.memory_bytes() - before, again = second.memory_bytes() - before;
  EXPECT_GT(used, u64{1} << 20);
  EXPECT_GT(again, used / 2) << "channel ends that have nothing to do are not counted again";
}

/// The memory of all used connections counts against the limit, and the run ends when it is reached.
TEST(AllToAll, EndsWhenItsConnectionsNeedMoreThanThereIs) {
  const World all = world_of(R"(
[topology]
kind = "star"
hosts = 512
[[job]]
gpus_per_server = 1
[[job.collective]]
kind = "all_to_all"
sizes = ["1 KiB"]
)");
  Engine plenty(all, {});
  const u64 before = plenty.memory_bytes();
  while (plenty.advance(kNever)) {
  }
  ASSERT_EQ(plenty.outcome().reason, EndReason::complete);
  const u64 connections = u64{512} * 511 * 2, used = plenty.memory_bytes() - before;
  EXPECT_GT(used, connections * 150);
  EXPECT_LT(used, connections * 200 + (u64{64} << 20));
  EngineOptions options;
  options.memory_limit_bytes = before + used / 2;
  Engine tight(all, options);
  while (tight.advance(kNever)) {
  }
  EXPECT_TRUE(tight.exhausted());
  EXPECT_NE(tight.ending().exhausted.find("connections in use"), std::string::npos) << tight.ending().exhausted;
}

}  // namespace
}  // namespace heddle::acceptance
