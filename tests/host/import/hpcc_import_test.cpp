// HPCC's config.txt as a configuration: every key is translated, named, or refused.
#include "host/import/hpcc_import.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "host/build.hpp"
#include "host/check/report.hpp"
#include "host/error.hpp"
#include "host/import/hpcc_keys.hpp"
#include "io/error.hpp"
#include "tests/scratch.hpp"

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

  HpccImport import(const std::string& text) const {
    write("config.txt", text);
    return import_hpcc_config(at("config.txt"), scratch_.path().string());
  }
  Config loaded(const HpccImport& import) const { return load_config_text(import.toml, at("made.toml")); }
  /// What is refused, without the folder's name.
  std::string refusal(const std::string& text) const {
    try {
      import(text);
      return "";
    } catch (const ConfigError& error) {
      std::string message = error.what();
      const std::string path = at("config.txt");
      for (size_t found = 0; (found = message.find(path)) != std::string::npos;) message.erase(found, path.size());
      return message;
    }
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
  EXPECT_EQ(config.congestion.value("dcqcn", "g_1024"), 4);
  EXPECT_EQ(config.congestion.value("dcqcn", "alpha_period"), 55'000'000) << "third.cc's default";
  EXPECT_EQ(config.congestion.value("dcqcn", "rate_hai"), 200'000'000);
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
  EXPECT_EQ(hpcc_keys().size(), 50u) << "the if-chain of scratch/third.cc";
}

TEST_F(HpccImporting, NoCongestionControl) {
  std::string text = kConfig;
  text.replace(text.find("CC_MODE 1"), 9, "CC_MODE 0");
  EXPECT_EQ(loaded(import(text)).congestion.control, "none");
}

TEST_F(HpccImporting, WhatIsNotSimulatedIsRefusedWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"ENABLE_QCN 0", ":14:1: ENABLE_QCN 0: without it ns-3's links do not pause"},
      {"ERROR_RATE_PER_LINK 0.001", ":14:1: ERROR_RATE_PER_LINK 0.001: random loss on links is not simulated"},
      {"LINK_DOWN 100 4 5", ":14:1: LINK_DOWN 100 4 5: links that fail are not simulated"},
      {"L2_BACK_TO_ZERO 1", ":14:1: L2_BACK_TO_ZERO 1: going back to the start of a chunk"},
      {"RATE_BOUND 0", ":14:1: RATE_BOUND 0: senders that no rate paces"},
      {"PACKET_PAYLOAD_SIZE 9000", ":14:1: PACKET_PAYLOAD_SIZE 9000: roce.mtu is 64 to 8192 B"},
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

TEST_F(HpccImporting, OtherCongestionControlsAndWindowsAreRefused) {
  for (const auto& [mode, name] :
       {std::pair{"3", "HPCC"}, {"7", "TIMELY"}, {"8", "DCTCP"}, {"10", "HPCC-PINT"}, {"12", "not have"}}) {
    std::string text = kConfig;
    text.replace(text.find("CC_MODE 1"), 9, std::string("CC_MODE ") + mode);
    const std::string got = refusal(text);
    EXPECT_NE(got.find(std::string(":4:1: CC_MODE ") + mode), std::string::npos) << got;
    EXPECT_NE(got.find(name), std::string::npos) << got;
  }
  std::string text = kConfig;
  text.erase(text.find("HAS_WIN 0\n"), 10);
  EXPECT_NE(refusal(text).find("HAS_WIN is not given: a window"), std::string::npos) << "HPCC's default is 1";
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
