// The messages of a controller that measures over a network: who sends them, what they wait for, what is refused.
#include "host/scenario/workload/control_messages.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "host/base/error.hpp"
#include "host/check/plan_text.hpp"
#include "host/check/warnings/unused_keys.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/workload/counts.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

std::string controlled(const std::string& network, const std::string& demands = "measured") {
  return "[topology]\nkind = 'ai_zone'\nracks = 2\ngpus_per_rack = 2\nctsws = 2\nuplinks_per_rtsw = 2\n"
         "[workload]\njitter_packets = 0\n[[fabric]]\nname = 'management'\n[fabric.topology]\nkind = 'star'\nhosts = "
         "8\n"
         "[[message]]\nsrc = 0\ndst = 2\nbytes = 1000\n[routing]\npolicy = 'traffic_engineering'\n"
         "[routing.traffic_engineering]\nperiod = '1 ms'\ndemands = '" +
         demands + "'\n[routing.traffic_engineering.network]\n" + network;
}

World controlled_world(const std::string& network) { return build_world(controlled(network), "test.toml"); }

const char* const kNetwork = "fabric = 'management'\ncontroller = 7\nfirst_server = 1\nservers = 2\nperiods = 3\n";

TEST(ControlMessages, RoutesWaitForAllReportsOfTheirPeriod) {
  const World world =
      controlled_world(std::string(kNetwork) + "solve = '30 us'\nreport_bytes = 10\nroute_bytes = 20\n");
  const ControlNetwork& control = world.routing.control;
  EXPECT_EQ(control.periods, 3u);
  ASSERT_EQ(control.switches, 4u) << "two RTSWs and two CTSWs";
  ASSERT_EQ(control.routes.size(), 12u);
  const Traffic& traffic = world.traffic;
  EXPECT_EQ(traffic.qps.size(), 1u + 2 + 4) << "connections stand";
  for (u32 i = 0; i < 12; ++i) {
    const Message& route = traffic.messages[control.routes[i]];
    EXPECT_EQ(traffic.qps[route.qp].src, 4u + 7);
    EXPECT_EQ(traffic.qps[route.qp].dst, 4u + 3 + i % 4) << "behind the ports of the servers";
    EXPECT_EQ(route.bytes, 20u);
    EXPECT_EQ(route.post_ps, 30'000'000);
    EXPECT_EQ(route.waits_for, 2u);
    std::set<EndpointId> reporting;
    for (const MessageWait& wait : traffic.waits) {
      if (wait.waiting != control.routes[i]) continue;
      EXPECT_TRUE(wait.received);
      const Message& report = traffic.messages[wait.awaited];
      EXPECT_EQ(report.bytes, 10u);
      EXPECT_EQ(report.post_ps, (i / 4 + 1) * TimePs{1'000'000'000}) << "when the period is measured";
      reporting.insert(traffic.qps[report.qp].src);
    }
    EXPECT_EQ(reporting, (std::set<EndpointId>{5, 6}));
  }
  EXPECT_NE(plan_text(world).find("reports come to management.cpu7, 3 times, and routes go from there to 4 switches"),
            std::string::npos)
      << plan_text(world);
}

TEST(ControlMessages, AreCountedBeforeTheyAreBuilt) {
  const World world = controlled_world(kNetwork);
  WorkloadInput input;
  input.control.fabric = "management";
  input.control.controller = 7;
  input.control.first_server = 1;
  input.control.servers = 2;
  input.control.periods = 3;
  const WorkloadCounts counts = count_messages(input, world);
  EXPECT_EQ(counts.messages, world.traffic.messages.size() - 1);
  EXPECT_EQ(counts.waits, world.traffic.waits.size());
  EXPECT_EQ(counts.qps, world.traffic.qps.size() - 1);
}

TEST(ControlMessages, GoOnUntilTheHorizon) {
  const std::string text = controlled("fabric = 'management'\ncontroller = 7\nservers = 2\n");
  EXPECT_EQ(build_world("[simulation]\nhorizon = '4 ms'\n" + text, "test.toml").routing.control.periods, 3u)
      << "4 ms is not before it";
  EXPECT_EQ(build_world("[simulation]\nhorizon = '4.1 ms'\n" + text, "test.toml").routing.control.periods, 4u);
}

TEST(ControlMessages, WithoutAFabricThereAreNone) {
  const std::string text = controlled("fabric = ''\ncontroller = 7\nservers = 2\n");
  EXPECT_TRUE(build_world(text, "test.toml").routing.control.routes.empty());
  EXPECT_EQ(build_world(text, "test.toml").traffic.messages.size(), 1u);
}

TEST(ControlMessages, WhatCannotBeIsRefused) {
  const auto refused = [](const std::string& text, const std::string& why) {
    const std::string message = test::message_of<ConfigError>([&] { build_world(text, "test.toml"); });
    EXPECT_NE(message.find(why), std::string::npos) << message;
  };
  const std::string section = "routing.traffic_engineering.network";
  refused(controlled("fabric = 'other'\ncontroller = 7\nservers = 2\n"),
          section + ".fabric: no [[fabric]] is called \"other\"");
  refused(controlled("fabric = 'management'\ncontroller = 7\nservers = 0\n"),
          section + ".servers: nobody would report");
  refused(controlled("fabric = 'management'\nservers = 2\ncontroller = 5\n"),
          section + ".controller: this host is also a server's");
  refused(controlled("fabric = 'management'\nservers = 2\ncontroller = 8\n"),
          section + ".controller: 8 does not exist");
  refused(controlled("fabric = 'management'\nservers = 6\ncontroller = 7\n"), "4 hosts from 6 on");
  refused(controlled("fabric = 'management'\nservers = 2\nfirst_switch = 1\ncontroller = 7\n"),
          section + ".first_switch: some hosts would be both");
  refused(controlled("fabric = 'management'\nservers = 2\ncontroller = 7\n"),
          section + ".periods: how many times does the controller measure?");
  refused(controlled(kNetwork, "workload"), "routing.traffic_engineering.demands=measured");
}

}  // namespace
}  // namespace heddle
