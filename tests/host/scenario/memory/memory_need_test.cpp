// The memory need of a configuration, known before the memory is taken.
#include "host/scenario/memory/memory_need.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "host/base/error.hpp"
#include "host/check/estimates/cost.hpp"
#include "host/cli/resident.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/instantiate/instantiate.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

Config config_of(const std::string& text) { return load_config_text(text, "test.toml"); }

constexpr const char* kZones =
    "[topology]\nkind = \"multi_zone\"\nzones = 2\nracks = 8\ngpus_per_rack = 16\nctsws = 4\nuplinks_per_rtsw = 8\n"
    "atsws = 4\nuplinks_per_ctsw = 4\n";

std::string job(const std::string& kind, const std::string& more = "") {
  return "[[job]]\ngpus = 128\nshare_gpus = true\n" + more + "[[job.collective]]\nkind = \"" + kind +
         "\"\nsizes = [\"1 MiB\"]\n";
}

std::string generator(const std::string& kind, const std::string& more = "") {
  return "[[generator]]\nkind = \"" + kind + "\"\nbytes = \"64 KiB\"\n" + more;
}

/// Workloads of the tests below, by name.
const std::pair<const char*, std::string> kWorkloads[] = {
    {"ring", job("all_reduce", "algorithm = \"ring\"\n")},
    {"ring of two channels, GPUs without NVLink",
     job("all_reduce", "algorithm = \"ring\"\ngpus_per_server = 1\nchannels = 2\n")},
    {"trees", job("all_reduce", "algorithm = \"tree\"\n")},
    {"trees of one channel", job("all_reduce", "algorithm = \"tree\"\nchannels = 1\nqps_per_connection = 3\n")},
    {"trees, GPUs without NVLink", job("all_reduce", "algorithm = \"tree\"\ngpus_per_server = 1\n")},
    {"trees of pairs", job("all_reduce", "algorithm = \"tree\"\ngpus_per_server = 2\n")},
    {"trees in one server", job("all_reduce", "algorithm = \"tree\"\ngpus_per_server = 128\nchannels = 4\n")},
    {"broadcast", job("broadcast", "root = 13\n")},
    {"scatter", job("scatter", "p2p_channels = 3\n")},
    {"ring of one channel", job("all_gather", "channels = 1\n")},
    {"ring of pairs", job("all_gather", "gpus_per_server = 2\nqps_per_connection = 4\n")},
    {"ring in one server", job("all_reduce", "algorithm = \"ring\"\ngpus_per_server = 128\nchannels = 4\n")},
    {"all-to-all", job("all_to_all", "qps_per_connection = 2\n")},
    {"all-to-all in tables", job("all_to_all") + job("all_to_all", "p2p_channels = 1\n")},
    {"all-to-all by PXN", job("all_to_all", "pxn = true\n")},
    {"gather", job("gather", "p2p_channels = 3\n")},
    {"training",
     "[[job]]\ngpus = 128\n[job.training]\nmodel = \"llama3_8b\"\nlayers = 4\ntensor_parallel = 8\n"
     "pipeline_parallel = 2\niterations = 50\n"},
    {"ring on rails",
     "[[job]]\nalgorithm = \"ring\"\ncross_nic = \"no\"\ngpus = 64\nchannels = 6\n[[job.collective]]\n"
     "sizes = [\"64 MiB\"]\n"},
    {"one ring on its rail",
     "[[job]]\nalgorithm = \"ring\"\ncross_nic = \"no\"\nchannels = 1\n[[job.collective]]\n"
     "sizes = [\"64 MiB\"]\n"},
    {"tree on rails", "[[job]]\nalgorithm = \"tree\"\ncross_nic = \"no\"\n[[job.collective]]\nsizes = [\"64 MiB\"]\n"},
    {"reduce on rails", "[[job]]\ncross_nic = \"no\"\n[[job.collective]]\nkind = \"reduce\"\nsizes = [\"64 MiB\"]\n"},
    {"permutation", "[workload]\nqps_per_pair = 4\n" + generator("permutation", "messages = 8\n")},
    {"incast", generator("incast", "fan_in = 16\n")},
    {"messages of all to all", generator("all_to_all", "hosts = 64\nfirst_host = 32\nmessages = 2\n")},
    {"messages",
     "[workload]\nqps_per_pair = 2\n[[message]]\nsrc = 1\ndst = 2\nbytes = 1\n[[message]]\nsrc = 1\ndst = 2\n"
     "bytes = 1\n[[message]]\nsrc = 1\ndst = 2\nbytes = 1\n[[message]]\nsrc = 2\ndst = 1\nbytes = 1\n"},
    {"a permutation over RoCE, messages and an incast over TCP",
     "[class.best_effort]\ntransport = \"tcp\"\n" + generator("permutation") +
         generator("incast", "fan_in = 16\nclass = \"best_effort\"\n") +
         "[[message]]\nsrc = 1\ndst = 2\nbytes = 1\nclass = \"best_effort\"\n"},
    {"a permutation over RoCE, and a class of TCP without data",
     "[class.best_effort]\ntransport = \"tcp\"\n" + generator("permutation")},
};

/// The counts that build_workload predicts before it makes anything.
WorkloadCounts foretold(const Config& config) {
  WorkloadCounts last;
  World world = build_world(config);
  world.traffic = {};
  world.collectives = {};
  WorkloadInput input;
  input.settings = config.workload;
  input.messages = config.messages;
  input.generators = config.generators;
  input.jobs = config.jobs;
  build_workload(input, world, [&](const WorkloadCounts& counts) { last = counts; });
  return last;
}

TEST(MemoryNeed, CountsAreKnownBeforeAnythingIsMade) {
  for (const auto& [name, text] : kWorkloads) {
    const Config config = config_of(kZones + text);
    const WorkloadCounts counts = foretold(config), made = counts_of(build_world(config));
    EXPECT_EQ(counts.messages, made.messages) << name;
    EXPECT_EQ(counts.qps, made.qps) << name;
    EXPECT_EQ(counts.tcp_qps, made.tcp_qps) << name;
    EXPECT_EQ(counts.connections, made.connections) << name;
    EXPECT_EQ(counts.channel_ends, made.channel_ends) << name;
    EXPECT_EQ(counts.collectives, made.collectives) << name;
    EXPECT_EQ(counts.iterations, made.iterations) << name;
    EXPECT_EQ(counts.qps_on_use, made.qps_on_use) << name;
    EXPECT_EQ(counts.connections_on_use, made.connections_on_use) << name;
    // two jobs on the same GPUs share their NVLinks; a chain may have none to or from its root
    const u64 nvlinks = made.nvlinks * std::max<u64>(config.jobs.size(), 1);
    const bool chain = std::string(name).starts_with("broadcast") || std::string(name).starts_with("reduce on");
    EXPECT_TRUE(counts.nvlinks == nvlinks || (chain && counts.nvlinks == nvlinks + 2)) << name;
  }
}

TEST(MemoryNeed, PoissonMessagesAreForetoldByTheirMean) {
  const Config config = config_of(kZones + generator("poisson", "load = 0.4\nduration = \"200 us\"\n"));
  const WorkloadCounts counts = foretold(config), made = counts_of(build_world(config));
  EXPECT_NEAR(static_cast<double>(counts.messages), static_cast<double>(made.messages), 0.05 * made.messages);
}

TEST(MemoryNeed, StateIsThatOfTheEngine) {
  for (const char* more : {"", "[dcqcn]\nenabled = true\n", "[roce]\nrecovery = \"selective_repeat\"\n",
                           "[routing]\npolicy = \"flowlet\"\n", "[routing]\npolicy = \"adaptive\"\n"}) {
    for (const auto& [name, text] : kWorkloads) {
      const World world = build_world(config_of(kZones + (more + text)));
      const MemoryNeed need = memory_need(world, counts_of(world));
      const double took = static_cast<double>(Engine(world, {.memory_limit_bytes = 64 << 20}).memory_bytes());
      EXPECT_NEAR(static_cast<double>(need.state_bytes()), took, 0.02 * took) << name << more;
    }
  }
}

/// The message of the refusal.
std::string refusal_of(const Config& config, const MemoryBudget& budget) {
  return test::message_of<ConfigError>([&] { build_world(config, budget); });
}

TEST(MemoryNeed, TooMuchIsRefusedBeforeItIsTaken) {
  const std::string pairs = "[[job]]\nshare_gpus = true\n[[job.collective]]\nkind = \"all_to_all\"\nsizes = [1]\n";
  const Config config = config_of("[topology]\nkind = \"ai_zone\"\nracks = 128\n"  // 2,048 GPUs, 4 GB
                                  + pairs + pairs);
  const u64 before = max_resident_bytes();
  const std::string why = refusal_of(config, {u64{2} << 30, "--memory 2GiB", 1});
  EXPECT_LT(max_resident_bytes() - before, u64{256} << 20);
  EXPECT_NE(why.find("this configuration takes "), std::string::npos) << why;
  EXPECT_NE(why.find("but the run may use 2.147 GB (--memory 2GiB): "), std::string::npos) << why;
  EXPECT_NE(why.find(" for 16769024 connections and 2 collectives of jobs"), std::string::npos) << why;
  EXPECT_NE(why.find(" queue pairs"), std::string::npos) << why;
  EXPECT_NE(why.find("give jobs fewer gpus"), std::string::npos) << why;

  const std::string messages = refusal_of(config_of(kZones + generator("permutation", "messages = 100000\n")),
                                          {u64{1} << 30, "--memory 1GiB", 1});
  EXPECT_NE(messages.find(" for 25600000 messages"), std::string::npos) << messages;
  EXPECT_NE(messages.find("take fewer or larger messages"), std::string::npos) << messages;
}

TEST(MemoryNeed, RanksShareTheStateOut) {
  const Config config = config_of(kZones + job("all_reduce"));
  const World world = build_world(config);
  const MemoryNeed need = memory_need(world, counts_of(world));
  const u64 shared = min_peak_bytes(world, need, 4);
  EXPECT_LT(shared, min_peak_bytes(world, need, 1));
  EXPECT_EQ(refusal_of(config, {shared, "--memory", 4}), "");
  EXPECT_NE(refusal_of(config, {shared - 1, "--memory", 4}).find("in each of 4 processes"), std::string::npos);
  EXPECT_NE(refusal_of(config, {shared, "--memory", 1}), "");
}

TEST(MemoryNeed, PacketsAreAtMostWhatTheWorkloadCanSendAtOnce) {
  const Cost ring = estimate_cost(
      build_world(config_of(kZones + job("all_reduce", "algorithm = \"ring\"\nprotocol = \"simple\"\n"))));
  // 16 servers x 8 channels, 4 slots of 1 KiB
  EXPECT_LT(ring.packet_bytes, u64{16} * 8 * 4 * 1024 / 4096 * 24 * 2);
  const Cost all = estimate_cost(build_world(config_of(kZones + generator("permutation", "messages = 100\n"))));
  EXPECT_GT(all.packet_bytes, u64{256} * 100 * 16 * 24) << "a message is 16 packets, and all are posted at once";
  EXPECT_GT(all.max_bytes(), all.packet_bytes + all.memory.table_bytes() + all.memory.state_bytes());
}

/// A message of TCP beside others makes no packets of RoCE smaller.
TEST(MemoryNeed, PacketsAreCountedAtTheSizeOfTheirTransport) {
  const std::string bulk = generator("permutation", "messages = 10\n"),
                    by_tcp = generator("permutation", "messages = 10\nclass = \"best_effort\"\n"),
                    tcp = "[class.best_effort]\ntransport = \"tcp\"\n";
  const auto packets = [](const std::string& text) {
    return static_cast<double>(estimate_cost(build_world(config_of(kZones + text))).packet_bytes);
  };
  const double roce = packets(bulk);
  const std::string one = "[[message]]\nsrc = 1\ndst = 2\nbytes = 1000\nclass = \"best_effort\"\n";
  EXPECT_NEAR(packets(tcp + bulk + one), roce, 1e-3 * roce);
  const double ack_every = RoceSettings().ack_every;
  EXPECT_NEAR(packets(tcp + by_tcp) / roce, 4096 / 1448.0 * (1 + 1 / 2.0) / (1 + 1 / ack_every), 1e-3);
}

}  // namespace
}  // namespace heddle
