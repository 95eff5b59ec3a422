// Warnings about a controller whose reports and routes travel.
#include "host/check/warnings/controller.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/config/config.hpp"
#include "host/scenario/build.hpp"

namespace heddle {
namespace {

/// Two servers report to host 7, which sends routes to four switches.
std::vector<std::string> controller_warnings(const std::string& network, const std::string& horizon = "") {
  const std::string text =
      "[topology]\nkind = 'ai_zone'\nracks = 2\ngpus_per_rack = 2\nctsws = 2\nuplinks_per_rtsw = 2\n"
      "[[fabric]]\nname = 'management'\n[fabric.topology]\nkind = 'star'\nhosts = 8\n[fabric.link]\nhost_rate = '1 "
      "Gb/s'\n[[message]]\nsrc = 0\ndst = 2\nbytes = 1000\n[routing]\npolicy = 'traffic_engineering'\n"
      "[routing.traffic_engineering]\nperiod = '1 ms'\ndemands = 'measured'\n[routing.traffic_engineering.network]\n"
      "fabric = 'management'\ncontroller = 7\nfirst_server = 1\nservers = 2\n";
  return warnings_of_controller(build_world(text + network + horizon, "test.toml"));
}

TEST(ControllerWarnings, WhatItsNicCannotCarryInAPeriodPilesUp) {
  EXPECT_TRUE(controller_warnings("periods = 3\nreport_bytes = '10 KB'\n").empty());
  const std::vector<std::string> reports = controller_warnings("periods = 3\nreport_bytes = '100 KB'\n");
  ASSERT_EQ(reports.size(), 1u) << "1.641 ms";
  EXPECT_NE(reports[0].find("the reports of a period take 1.641 ms"), std::string::npos) << reports[0];
  EXPECT_NE(reports[0].find("management.cpu7"), std::string::npos) << reports[0];
  const std::vector<std::string> routes = controller_warnings("periods = 3\nroute_bytes = '100 KB'\n");
  ASSERT_EQ(routes.size(), 1u);
  EXPECT_NE(routes[0].find("the routes of a period take 3."), std::string::npos) << routes[0];
}

TEST(ControllerWarnings, OneThatNeverMeasures) {
  const std::vector<std::string> warnings = controller_warnings("", "[simulation]\nhorizon = '500 us'\n");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("would first measure at the end of the run"), std::string::npos) << warnings[0];
  EXPECT_TRUE(controller_warnings("", "[simulation]\nhorizon = '5 ms'\n").empty());
}

}  // namespace
}  // namespace heddle
