// HPCC's config.txt as a configuration: every key is translated, named, or refused.
#include "io/formats/hpcc_import.hpp"
#include "host/config/config.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "host/base/error.hpp"
#include "host/check/report.hpp"
#include "host/scenario/build.hpp"
#include "io/error.hpp"
#include "io/formats/hpcc_keys.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/scratch.hpp"
#include "tests/thrown.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTopology =
    "6 2 5\n4 5\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 5 100Gbps 1us 0\n3 5 100Gbps 1us 0\n4 5 400Gbps 1us 0\n";
constexpr const char* kFlows = "3\n0 2 3 100 20000 2\n0 2 3 100 20000 2.000001\n1 2 3 100 20000 2\n";
constexpr const char* kConfig =
    "TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nHAS_WIN 0\nCC_MODE 1 {1: DCQCN}\n# a comment\n"
    "RP_TIMER 300\nEWMA_GAIN 0.00390625\nRATE_AI 20Mb/s\nRATE_HAI 200Mbps\nBUFFER_SIZE 32\nKMIN_MAP 2 100000000000 400 "
    "400000000000 1600\nKMAX_MAP 2 100000000000 1600 400000000000 6400\nPMAX_MAP 2 100000000000 0.2 400000000000 0.2\n";

class HpccImporting : public testing::Test {
 protected:
  void SetUp() override {
    write("topology.txt", kTopology);
    write("flow.txt", kFlows);
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(scratch_.path() / name) << text; }
  std::string at(const std::string& name) const { return (scratch_.path() / name).string(); }

  HpccImport import(const std::string& text, const HpccImportOptions& options = {}) const {
    write("config.txt", text);
    return import_hpcc_config(at("config.txt"), scratch_.path().string(), options);
  }
  Config loaded(const HpccImport& import) const { return load_config_text(import.toml, at("made.toml")); }
  /// What is refused, without the folder's name.
  std::string refusal(const std::string& text) const {
    // an error of the file, or of the configuration
    std::string message = message_of<std::runtime_error>([&] { loaded(import(text)); });
    const std::string path = at("config.txt");
    for (size_t found = 0; (found = message.find(path)) != std::string::npos;) message.erase(found, path.size());
    return message;
  }

  const ScratchFolder scratch_;
};

TEST_F(HpccImporting, TheResultPassesCheck) {
  const HpccImport result = import(kConfig);
  const Config config = loaded(result);
  const World world = build_world(config);
  const CheckReport report = check_world(world);
  EXPECT_TRUE(report.refusals.empty()) << report.refusals.front();
  EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
  EXPECT_EQ(world.fabric.endpoints, 4u);
  EXPECT_EQ(world.traffic.qps.size(), 3u) << "every flow has its own";
  EXPECT_EQ(config.congestion.control, "dcqcn");
  const DcqcnSettings& dcqcn = std::get<DcqcnSettings>(world.congestion.control);
  EXPECT_EQ(dcqcn.g_q10, 4u);
  EXPECT_EQ(dcqcn.alpha_period_ps, 55'000'000) << "third.cc's default";
  EXPECT_EQ(dcqcn.rate_hai_bps, 200'000'000u);
  EXPECT_EQ(config.fabric.rtsw_buffer.bytes, 32u << 20);
  EXPECT_EQ(config.fabric.ecn.kmin_bytes, 1'600'000u);
  EXPECT_EQ(config.fabric.ecn.reference_bits_per_s, 400'000'000'000u);
  EXPECT_EQ(config.simulation.horizon_ps, 3'010'000'000'000) << "third.cc's default";
  EXPECT_LE(config.simulation.slot_ps, 20'960) << "a full packet at 400G";
}

/// Two sections ask for it.
TEST_F(HpccImporting, AValueIsRefusedOnce) {
  const std::string message = refusal(std::string(kConfig) + "PACKET_PAYLOAD_SIZE 99999999999999999999\n");
  const size_t first = message.find("not a whole number without sign");
  ASSERT_NE(first, std::string::npos) << message;
  EXPECT_EQ(message.find("not a whole number without sign", first + 1), std::string::npos) << message;
}

TEST_F(HpccImporting, FlowsOfSeveralPriorityGroupsAreRefused) {
  write("flow.txt", "2\n0 2 3 100 20000 2\n0 2 5 100 20000 2\n");
  EXPECT_NE(refusal(kConfig).find("flow.txt:3:5: pg (priority group) is 5"), std::string::npos) << refusal(kConfig);
}

TEST_F(HpccImporting, EveryValueSaysWhereItComesFrom) {
  const std::string toml = import(std::string(kConfig) + "SIMULATOR_STOP_TIME 2.5\nU_TARGET 0.95\n").toml;
  for (const char* line : {"\"2500 ms\"", "# SIMULATOR_STOP_TIME 2.5\n", "# RATE_AI 20Mb/s\n", "# BUFFER_SIZE 32: MiB",
                           "# MIN_RATE is not given: 100Mb/s\n", "#   U_TARGET 0.95: of the congestion control HPCC"}) {
    EXPECT_NE(toml.find(line), std::string::npos) << line << "\n" << toml;
  }
}

TEST_F(HpccImporting, EveryKeyOfThePrograms) {
  const auto simais = std::ranges::count_if(hpcc_keys(), &HpccKey::only_simai);
  EXPECT_EQ(hpcc_keys().size() - static_cast<size_t>(simais), 50u) << "the if-chain of scratch/third.cc";
  EXPECT_EQ(simais, 9) << "monitors of SimAI.conf, and TRACE_NODE";
}

TEST_F(HpccImporting, NoCongestionControl) {
  std::string text = kConfig;
  text.replace(text.find("CC_MODE 1"), 9, "CC_MODE 0");
  EXPECT_EQ(loaded(import(text)).congestion.control, "none");
}

TEST_F(HpccImporting, WhatIsNotSimulatedIsRefusedWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"ENABLE_QCN 0", ":14:1: ENABLE_QCN 0: without it ns-3's links do not pause"},
      {"ERROR_RATE_PER_LINK 0.001",
       ":14:1: ERROR_RATE_PER_LINK 0.001: ns-3 loses every packet with this probability, ACKs and pauses too; "
       "[[failure]] with kind = \"bit_errors\" loses packets by their length"},
      {"ERROR_RATE_PER_LINK 0.001", "with bit_error_rate = 1.193e-07, which loses as many of the full packets"},
      {"LINK_DOWN 100 4 0", ":14:1: LINK_DOWN 100 4 0: node 0 is a host and would have no link left"},
      {"LINK_DOWN 100 0 5", ":14:1: LINK_DOWN 100 0 5: no link joins nodes 0 and 5"},
      {"LINK_DOWN 100 4 9", ":14:1: LINK_DOWN 100 4 9: no link joins nodes 4 and 9"},
      {"LINK_DOWN 1000000000001 4 5", "it is later than any run; use 0 0 0"},
      {"L2_BACK_TO_ZERO 1", ":14:1: L2_BACK_TO_ZERO 1: going back to the start of a chunk"},
      {"RATE_BOUND 0", ":14:1: RATE_BOUND 0: senders that no rate paces"},
      {"PACKET_PAYLOAD_SIZE 9601", ":14:1: PACKET_PAYLOAD_SIZE 9601: roce.mtu is 64 to 9600 B"},
      {"CLAMP_TARGET_RATE 2", ":14:1: CLAMP_TARGET_RATE 2: neither 0 nor 1"},
      {"MIN_RATE 5GB", ":14:1: MIN_RATE 5GB: it has the unit \"GB\""},
      {"RATE_DECREASE_INTERVAL 0.0000001", "not a whole number of ps"},
      {"SIMULATOR_STOP_TIME soon", ":14:1: SIMULATOR_STOP_TIME soon: not a time in seconds"},
      {"ENABEL_TRACE 1", ":14:1: unknown key ENABEL_TRACE; did you mean ENABLE_TRACE?"},
      {"FLOODGATE 1", ":14:1: unknown key FLOODGATE; HPCC's own program would ignore it"},
      {"BUFFER_SIZE 16", ":14:1: BUFFER_SIZE is given twice, first in line 10; keep one"},
      {"VAR_WIN", ":14:1: VAR_WIN has 0 values where 1 are expected"},
      {"LINK_DOWN 0 0", ":14:1: LINK_DOWN has 2 values where 3 are expected"},
  };
  for (const auto& [line, message] : cases) {
    const std::string got = refusal(std::string(kConfig) + line + "\n");
    EXPECT_NE(got.find(message), std::string::npos) << line << "\n" << got;
  }
  EXPECT_EQ(refusal(std::string(kConfig) + "LINK_DOWN 0 0 0\nERROR_RATE_PER_LINK 0.0000\nENABLE_QCN 1\n"), "");
}

TEST_F(HpccImporting, OtherCongestionControlsAreRefused) {
  for (const auto& [mode, name] :
       {std::pair{"3", "HPCC"}, {"7", "TIMELY"}, {"8", "DCTCP"}, {"10", "HPCC-PINT"}, {"12", "not have"}}) {
    std::string text = kConfig;
    text.replace(text.find("CC_MODE 1"), 9, std::string("CC_MODE ") + mode);
    const std::string got = refusal(text);
    EXPECT_NE(got.find(std::string(":4:1: CC_MODE ") + mode), std::string::npos) << got;
    EXPECT_NE(got.find(name), std::string::npos) << got;
  }
}

/// kConfig with windows, and more.
std::string with_windows(const std::string& more, const char* control = "CC_MODE 1") {
  std::string text = kConfig;
  text.replace(text.find("HAS_WIN 0"), 9, "HAS_WIN 1");
  text.replace(text.find("CC_MODE 1"), 9, control);
  return text + more;
}

/// By third.cc: over three links 2 * 3000 ns, and 1000 B on each, 80 + 20 + 80 ns; at 100G 77,250 B. Of a rack 52,000.
TEST_F(HpccImporting, AWindowIsTheLargestBandwidthDelayProduct) {
  for (const char* more : {"", "GLOBAL_T 1\nVAR_WIN 0\n"}) {
    const HpccImport result = import(with_windows(more));
    EXPECT_EQ(loaded(result).roce.window_packets, 78u) << more;
    EXPECT_NE(result.toml.find("77250 B, the largest bandwidth-delay product"), std::string::npos) << result.toml;
  }
  EXPECT_EQ(loaded(import(with_windows("VAR_WIN 1\n", "CC_MODE 0"))).roce.window_packets, 78u) << "a rate that stays";
  EXPECT_EQ(loaded(import(with_windows("PACKET_PAYLOAD_SIZE 500\n"))).roce.window_packets, 153u) << "76,125 B";
  std::string text = with_windows("");
  text.erase(text.find("HAS_WIN 1\n"), 10);
  EXPECT_EQ(loaded(import(text)).roce.window_packets, 78u) << "HPCC's default";
}

TEST_F(HpccImporting, WindowsOfPairsMustBeAlike) {
  EXPECT_EQ(loaded(import(with_windows("GLOBAL_T 0\n"))).roce.window_packets, 78u) << "flows between racks only";
  write("flow.txt", "1\n0 1 3 100 20000 2\n");
  EXPECT_EQ(loaded(import(with_windows("GLOBAL_T 0\n"))).roce.window_packets, 52u) << "inside a rack only";
  write("flow.txt", "2\n0 1 3 100 20000 2\n0 2 3 100 20000 2\n");
  EXPECT_NE(
      refusal(with_windows("GLOBAL_T 0\n"))
          .find(":14:1: GLOBAL_T 0: every pair has a window of its own, 52000 B from node 0 to 1 and 77250 B from "
                "node 0 to 2"),
      std::string::npos)
      << refusal(with_windows("GLOBAL_T 0\n"));
  const HpccImport simais = import(with_windows("GLOBAL_T 0\nMON_START 0\n"));
  EXPECT_EQ(loaded(simais).roce.window_packets, 78u) << "SimAI's program takes it for 1";
  EXPECT_TRUE(
      std::ranges::any_of(simais.notes, [](const std::string& note) { return note.starts_with("GLOBAL_T 0"); }));
}

/// SimAI.conf's; it stays at its largest if that is asked for.
TEST_F(HpccImporting, AWindowThatFollowsTheRateIsRefusedOrKeptConstant) {
  const std::string text = with_windows("VAR_WIN 1\n");
  EXPECT_NE(
      refusal(text).find(":14:1: VAR_WIN 1: a window that shrinks with the rate that DCQCN sets is not simulated. "
                         "`heddle import hpcc --window constant`"),
      std::string::npos)
      << refusal(text);
  const HpccImport result = import(text, {.constant_window = true});
  EXPECT_EQ(loaded(result).roce.window_packets, 78u);
  EXPECT_NE(result.toml.find("#   VAR_WIN 1 lets the window shrink"), std::string::npos);
}

TEST_F(HpccImporting, AWindowNeedsTheTopology) {
  std::string text = with_windows("");
  text.replace(text.find("topology.txt"), 12, "nowhere.txt");
  EXPECT_NE(refusal(text).find(":3:1: HAS_WIN 1: a window is a bandwidth-delay product"), std::string::npos)
      << refusal(text);
}

TEST_F(HpccImporting, WithoutAWindowWhatIsSaidOfItMeansNothing) {
  const HpccImport result = import(std::string(kConfig) + "GLOBAL_T 0\nVAR_WIN 1\n");
  EXPECT_EQ(loaded(result).roce.window_packets, 0u);
  EXPECT_NE(result.toml.find("#   VAR_WIN 1: of the window that HAS_WIN 0 switches off\n"), std::string::npos);
}

TEST_F(HpccImporting, MonitorsOfSimaiMeanNothing) {
  const HpccImport result = import(std::string(kConfig) +
                                   "BW_MON_FILE bw.txt\nRATE_MON_FILE r.txt\nCNP_MON_FILE c.txt\nMON_START 0\nMON_END "
                                   "20000\nQP_MON_INTERVAL 100\nQLEN_MON_INTERVAL 10000\nBW_MON_INTERVAL "
                                   "10000\nTRACE_NODE 0\n");
  EXPECT_EQ(result.meaningless.size(), 9u);
  EXPECT_NE(result.toml.find("#   QP_MON_INTERVAL 100: rates and CNPs of single"), std::string::npos) << result.toml;
}

/// SimAI.conf's.
TEST_F(HpccImporting, PacketsMayBeJumboFrames) {
  EXPECT_EQ(loaded(import(std::string(kConfig) + "PACKET_PAYLOAD_SIZE 9000\n")).roce.mtu_bytes, 9000u);
}

/// ns-3's receivers set their milestone anew with every packet.
TEST_F(HpccImporting, EveryPacketIsAcknowledged) {
  for (const char* interval : {"1", "1000", "30000"})
    EXPECT_EQ(loaded(import(std::string(kConfig) + "L2_ACK_INTERVAL " + interval + "\n")).roce.ack_every, 1u);
}

/// The spine's link to one of two racks, 20 us after the flows begin; what is routed over the other spine stays.
TEST_F(HpccImporting, ALinkGoesDown) {
  write(
      "topology.txt",
      "6 4 6\n2 3 4 5\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 4 100Gbps 1us 0\n2 5 100Gbps 1us 0\n3 4 100Gbps 1us 0\n"
      "3 5 100Gbps 1us 0\n");
  write("flow.txt", "1\n0 1 3 100 10000000 2\n");
  const HpccImport result = import(std::string(kConfig) + "LINK_DOWN 20 2 4\n");
  const Config config = loaded(result);
  ASSERT_EQ(config.failures.size(), 1u);
  EXPECT_EQ(config.failures[0].link, (std::vector<std::string>{"switch2", "switch4"}));
  EXPECT_EQ(config.failures[0].kind, "down");
  EXPECT_EQ(config.failures[0].at_ps, 2'000'020'000'000);
  EXPECT_EQ(config.failures[0].until_ps, 0);
  EXPECT_EQ(config.failure_settings.detect_ps, 0);
  EXPECT_EQ(config.failure_settings.converge_ps, 0);
  const World world = build_world(config);
  EXPECT_EQ(world.failures.changes.size(), 2u) << "both directions";
  EXPECT_TRUE(world.routing.rows_change());
}

TEST_F(HpccImporting, ThresholdsMustBeThoseOfTheLinks) {
  std::string text = kConfig;
  text.replace(text.find("400000000000 1600\n"), 17, "400000000000 800");
  EXPECT_NE(refusal(text).find("thresholds of 100000000000 and 400000000000 bit/s are not in proportion"),
            std::string::npos);
  text = kConfig;
  text.replace(text.find("KMAX_MAP 2 100000000000"), 23, "KMAX_MAP 2 25000000000");
  EXPECT_NE(refusal(text).find("it has nothing for links of 100000000000 bit/s"), std::string::npos);
  text = kConfig;
  text.replace(text.find("PMAX_MAP 2 100000000000 0.2"), 27, "PMAX_MAP 2 100000000000 1.5");
  EXPECT_NE(refusal(text).find("'1.5' is no probability"), std::string::npos);
}

TEST_F(HpccImporting, AWrongNumberOfValuesIsOneProblem) {
  std::string text = kConfig;
  text.replace(text.find("KMAX_MAP 2"), 10, "KMAX_MAP 3");
  const std::string got = refusal(text);
  EXPECT_NE(got.find(":12:1: KMAX_MAP has 5 values where 7 are expected"), std::string::npos) << got;
  EXPECT_EQ(std::count(got.begin(), got.end(), '\n'), 0) << got;
}

TEST_F(HpccImporting, LossyLinksAreNamedByTheirPlace) {
  std::string lossy = kTopology;
  lossy.replace(lossy.find("2 5 100Gbps 1us 0"), 17, "2 5 100Gbps 1us 0.5");
  write("topology.txt", lossy);
  const std::string got = refusal(kConfig);
  EXPECT_NE(got.find("topology.txt:5:17: link 2 - 5 has error rate 0.5"), std::string::npos) << got;
}

/// PFC without congestion control pauses senders for tens of milliseconds; HPCC's NICs have no retransmission timer
/// that could run out meanwhile. The receiver's link carries 31 times 5,000 packets of 1,048 B, 838.4 ns each.
TEST_F(HpccImporting, NoQueuePairFailsInALongPause) {
  std::string topology = "38 6 40\n32 33 34 35 36 37\n", flows = "31\n";
  for (u32 host = 0; host < 32; ++host) {
    topology += std::to_string(host) + " " + std::to_string(32 + host / 8) + " 10Gbps 1us 0\n";
    if (host != 0) flows += std::to_string(host) + " 0 3 100 5000000 2\n";
  }
  for (const char* rack : {"32", "33", "34", "35"})
    topology += std::string(rack) + " 36 40Gbps 1us 0\n" + rack + " 37 40Gbps 1us 0\n";
  write("topology.txt", topology);
  write("flow.txt", flows);
  const Config config = loaded(import(
      "TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nHAS_WIN 0\nCC_MODE 0\nL2_ACK_INTERVAL 1\nBUFFER_SIZE 32\n"
      "SIMULATOR_STOP_TIME 10\nKMIN_MAP 2 10000000000 40 40000000000 160\nKMAX_MAP 2 10000000000 160 40000000000 640\n"
      "PMAX_MAP 2 10000000000 0.2 40000000000 0.2\n"));
  const World world = build_world(config);
  Engine engine(world, EngineOptions{});
  while (engine.advance(kNever)) {
  }
  const Outcome outcome = engine.outcome();
  EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
  TimePs last_ps = 0;
  u64 retransmitted = 0;
  for (const MessageOutcome& message : outcome.messages) {
    last_ps = std::max(last_ps, message.acked_ps);
    retransmitted += message.retransmitted_packets;
  }
  EXPECT_EQ(retransmitted, 0u);
  constexpr TimePs kBegin_ps = 2'000'000'000'000, kBottleneck_ps = TimePs{31} * 5000 * 838'400;
  EXPECT_GE(last_ps, kBegin_ps + kBottleneck_ps);
  EXPECT_LE(last_ps, kBegin_ps + kBottleneck_ps + 100'000'000) << "130 ms";
}

TEST_F(HpccImporting, WhatHpccWouldNotReadIsNotSimulated) {
  write("topology.txt", "3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n0 3 100Gbps 1us 0\n");
  write("flow.txt", "1\n1 2 3 100 20000 2\n3 2 3 100 20000 2\n");
  const World world = build_world(loaded(import(kConfig)));
  EXPECT_EQ(world.fabric.endpoints, 2u);
  EXPECT_EQ(world.traffic.messages.size(), 1u);
  write("topology.txt", "4 2 3\n0 3\n0 1 100Gbps 1us 0\n3 2 100Gbps 1us 0\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n");
  EXPECT_NE(refusal(kConfig).find(":1:1: TOPOLOGY_FILE topology.txt: HPCC reads as many links"), std::string::npos);
}

TEST_F(HpccImporting, InputsAreNamedFromWhereTheConfigurationWillLie) {
  fs::create_directories(scratch_.path() / "mix");
  write("mix/config.txt", kConfig);  // HPCC's program starts one folder above
  const HpccImport result = import_hpcc_config(at("mix/config.txt"), at("other"));
  EXPECT_NE(result.toml.find("file = \"../topology.txt\""), std::string::npos) << result.toml;
  std::string text = kConfig;
  text.replace(text.find("topology.txt"), 12, "/nowhere.txt");
  EXPECT_NE(import(text).toml.find("file = \"/nowhere.txt\""), std::string::npos) << "may come later";
}

TEST_F(HpccImporting, ControlCharactersStayOut) {
  const HpccImport result = import(std::string(kConfig) + "U_TARGET \x1b[31m\n");
  EXPECT_EQ(result.toml.find('\x1b'), std::string::npos);
  EXPECT_NE(result.toml.find("U_TARGET \\x1b[31m"), std::string::npos);
}

}  // namespace
}  // namespace heddle::test
