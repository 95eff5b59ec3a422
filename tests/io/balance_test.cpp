// How evenly links were used, worked by hand.
#include "io/results/balance.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/results/describe_json.hpp"
#include "io/results/hdf5.hpp"
#include "io/results/report.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

TEST(Balance, OfEqualLinksAndOfOneThatHasCarriedAll) {
  const LinkBalance even = balance_of({5, 5, 5, 5}), one = balance_of({0, 0, 8, 0});
  EXPECT_DOUBLE_EQ(even.busiest_over_mean, 1);
  EXPECT_DOUBLE_EQ(even.jain_index, 1);
  EXPECT_DOUBLE_EQ(one.busiest_over_mean, 4);
  EXPECT_DOUBLE_EQ(one.jain_index, 0.25);
}

TEST(Balance, OfUnequalLinks) {
  std::vector<double> loads;
  for (int i = 10; i >= 1; --i) loads.push_back(i);
  const LinkBalance balance = balance_of(loads);
  EXPECT_DOUBLE_EQ(balance.busiest_over_mean, 10 / 5.5);
  EXPECT_DOUBLE_EQ(balance.jain_index, 55.0 * 55 / (10 * 385));
  EXPECT_EQ(balance.loads, (std::array<double, 5>{1, 1, 5, 9, 10}));
}

TEST(Balance, OfLinksThatSentNothingIsNone) {
  const LinkBalance balance = balance_of({0, 0});
  EXPECT_EQ(balance.busiest_over_mean, 0);
  EXPECT_EQ(balance.jain_index, 0);
  EXPECT_EQ(balance_of({}).jain_index, 0);
}

/// Two links in turn are even in the end, but never meanwhile; an interval counts by what was sent in it.
TEST(Balance, InTime) {
  BalanceInTime in_time;
  EXPECT_EQ(in_time.busiest_over_mean(), 0);
  in_time.add(std::array{3.0, 0.0});
  in_time.add(std::array{0.0, 3.0});
  in_time.add(std::array{0.0, 0.0});
  EXPECT_DOUBLE_EQ(in_time.busiest_over_mean(), 2);
  in_time.add(std::array{6.0, 6.0});
  EXPECT_DOUBLE_EQ(in_time.busiest_over_mean(), (3 + 3 + 6) / (1.5 + 1.5 + 6));
}

/// Downlinks 4 to 7 carry 1, 1, 1 and 5 MB, by turns; what is routed over them is given.
std::string write_run(bool link_series, bool routed) {
  const std::string path = fresh_folder() + "/run.h5";
  const World world = small_world();
  ResultSettings settings = small_settings();
  settings.link_series = link_series;
  if (routed) {
    settings.routed_flows = [] {
      std::vector<RoutedFlows> flows(8);
      flows[4] = {3, 7};
      flows[7] = {1, 0};
      return flows;
    };
  }
  Outcome outcome = small_outcome();
  std::vector<LinkCounters> now(8);
  ResultWriter writer(path, world, settings);
  for (u64 i = 1; i <= 4; ++i) {
    now[3 + i].sent_bytes = i == 4 ? 5'000'000 : 1'000'000;
    writer.append_series(static_cast<TimePs>(i * 100'000'000), now);
  }
  for (u64 l = 0; l < 8; ++l) outcome.links[l].sent_bytes = now[l].sent_bytes;
  outcome.end_ps = 400'000'000;
  writer.finish(outcome, {});
  return path;
}

TEST(Balance, IsInTheReportsOfAFile) {
  const auto json = nlohmann::json::parse(describe_run_json(write_run(true, true)));
  const auto& idle = json["links"]["kinds"][0];
  const auto& down = json["links"]["kinds"][1];
  EXPECT_EQ(down["kind"], "rtsw>endpoint");
  EXPECT_DOUBLE_EQ(down["busiest_over_mean"], 2.5);
  EXPECT_DOUBLE_EQ(down["busiest_over_mean_in_time"], 4) << "one link at a time";
  EXPECT_DOUBLE_EQ(down["jain_index"], 64.0 / (4 * 28));
  EXPECT_DOUBLE_EQ(down["use_percentiles"]["p0"], 0.05) << "1 of 20 MB in 400 us at 400G";
  EXPECT_DOUBLE_EQ(down["use_percentiles"]["p100"], 0.25);
  EXPECT_DOUBLE_EQ(down["mean_qps"], 1);
  EXPECT_EQ(down["most_qps"], 3);
  EXPECT_DOUBLE_EQ(down["mean_messages"], 1.75);
  EXPECT_EQ(down["most_messages"], 7);
  EXPECT_TRUE(idle["busiest_over_mean"].is_null());
  EXPECT_TRUE(idle["jain_index"].is_null());
  EXPECT_EQ(idle["most_qps"], 0);
}

TEST(Balance, WhatIsNotKnownIsNotMadeUp) {
  const std::string path = write_run(false, false);
  const auto json = nlohmann::json::parse(describe_run_json(path));
  const auto& down = json["links"]["kinds"][1];
  EXPECT_DOUBLE_EQ(down["busiest_over_mean"], 2.5);
  for (const char* key : {"busiest_over_mean_in_time", "mean_qps", "most_qps", "mean_messages", "most_messages"})
    EXPECT_TRUE(down[key].is_null()) << key;
  {  // as in files of earlier versions
    const h5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    ASSERT_GE(H5Ldelete(file.get(), "/link/qps", H5P_DEFAULT), 0);
  }
  EXPECT_TRUE(nlohmann::json::parse(describe_run_json(path))["links"]["kinds"][1]["most_qps"].is_null());
}

TEST(Balance, InfoHasATable) {
  const std::string text = describe_run(write_run(true, true));
  expect_contains(text, "busiest/mean");
  expect_contains(text, "rtsw>endpoint         2.500    4.000       0.571");
  expect_contains(text, "1.0, 3");
}

/// 2.5 over the run, 4 in time, 64 / 112; an empty cell without /series/link.
TEST(Balance, IsInTheTableOfRuns) {
  for (const bool series : {true, false}) {
    const std::string path = write_run(series, true);
    const std::string csv = compare_runs_csv(std::array{path, path});
    expect_contains(csv, ",rtsw>endpoint.busiest_over_mean,rtsw>endpoint.busiest_over_mean_in_time,");
    expect_contains(csv, series ? ",2.5,4.0,0.571" : ",2.5,,0.571");
  }
}

/// Only links between switches are compared: what goes to and from GPUs is the workload's.
TEST(Balance, IsComparedBetweenSwitches) {
  const std::string path = write_run(false, true);
  EXPECT_EQ(compare_runs(std::array{path, path}).find("busiest/mean"), std::string::npos);
  expect_contains(compare_runs_csv(std::array{path, path}), ",rtsw>endpoint.busiest_over_mean,");
}

}  // namespace
}  // namespace heddle::test
