// Every file under configs/ can be read, checked without an unknown warning, and simulated for a few microseconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "host/check/report.hpp"
#include "host/config/config.hpp"
#include "host/run/simulation.hpp"
#include "host/scenario/build.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> config_files() {
  std::vector<std::string> files;
  if (!fs::exists("configs")) return files;
  for (const auto& entry : fs::recursive_directory_iterator("configs")) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).replace_extension().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

/// Warnings that are the subject of these configurations, or that their study's other settings end.
bool is_known(const std::string& config, const std::string& warning) {
  const std::pair<std::string, std::string> known[] = {
      {"configs/history/stage4.toml", "traffic engineering: for 6 of 120 demands no path has room left"},
      {"configs/studies/management/zone.toml",
       "class.best_effort.transport = \"tcp\", but class best_effort carries no"},
      {"configs/studies/losses/flow.toml", "failures lose packets, and what no NAK reports"}};
  return std::ranges::any_of(known,
                             [&](const auto& one) { return config == one.first && warning.starts_with(one.second); });
}

class Configs : public testing::TestWithParam<std::string> {};

TEST_P(Configs, CheckAndRunShortly) {
  const std::vector<std::string> sets = {"simulation.horizon=5 us", "collective.launch_latency=0 s",
                                         "collective.p2p_latency=0 s"};
  const Config config = load_config(GetParam(), sets);
  const World world = build_world(config);
  const CheckReport report = check_world(world, config.jobs);
  EXPECT_TRUE(report.refusals.empty()) << report.refusals.front();
  for (const std::string& warning : report.warnings) EXPECT_TRUE(is_known(GetParam(), warning)) << warning;
  Simulation simulation(world, EngineOptions{}, config.output);
  const SimulationResult result = simulation.run(nullptr, [](TimePs, const Totals&) { return Wish::go_on; });
  EXPECT_EQ(result.outcome.reason, EndReason::horizon) << result.outcome.explanation;
  EXPECT_EQ(result.outcome.end_ps, 5'000'000);
  EXPECT_GT(result.outcome.totals.packet_hops, 0u);
}

TEST_P(Configs, ResolvedTextReadsBack) {
  const std::string text = resolved_text(load_config(GetParam()));
  EXPECT_EQ(resolved_text(load_config_text(text, GetParam())), text);
}

INSTANTIATE_TEST_SUITE_P(All, Configs, testing::ValuesIn(config_files()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Configs);

}  // namespace
}  // namespace heddle
