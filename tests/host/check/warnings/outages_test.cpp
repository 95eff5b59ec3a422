// Text of `heddle check` on failures.
#include "host/check/warnings/outages.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "host/check/report.hpp"
#include "host/scenario/build.hpp"
#include "kernels/engine/engine.hpp"

namespace heddle {
namespace {

/// 2 racks of 4 GPUs at 400G, one uplink of each to 3 CTSWs.
World zone(const std::string& failures, const std::string& traffic = "[[message]]\nsrc = 0\ndst = 4\nbytes = 1000\n") {
  return build_world("[topology]\nkind = \"ai_zone\"\nracks = 2\ngpus_per_rack = 4\nctsws = 3\nuplinks_per_rtsw = 6\n" +
                         traffic + failures,
                     "test.toml");
}

bool warns(const World& world, const std::string& of) {
  const std::vector<std::string> all = warnings_of_outages(world);
  return std::ranges::any_of(all, [&](const std::string& w) { return w.find(of) != std::string::npos; });
}

TEST(Outages, SayWhatIsLeft) {
  EXPECT_EQ(outages_text(zone("")), "");
  const std::string text =
      outages_text(zone("[[failure]]\nlink = [\"rtsw0\", \"ctsw1\"]\nat = \"1 ms\"\nuntil = \"3 ms\"\n"
                        "[[failure]]\nnode = \"ctsw2\"\nat = \"2 ms\"\n"));
  EXPECT_NE(text.find("8 changes of 6 cables"), std::string::npos) << text;  // 2 cables that recover, 4 of ctsw2
  // From 2 ms on rtsw0 has 2 of 6 uplinks for 4 GPUs, and rtsw1 has 4.
  EXPECT_NE(text.find("rtsw0: 800 Gb/s of 2.4 Tb/s upwards from 2 ms on, for 1.6 Tb/s below: 1:0.50, less than 1:1"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("rtsw1: 1.6 Tb/s of 2.4 Tb/s upwards from 2 ms on, for 1.6 Tb/s below: 1:1.00\n"),
            std::string::npos)
      << text;
}

TEST(Outages, CablesThatAreDeadAreNoChanges) {
  const std::string dead = "[[failure]]\nnode = \"ctsw2\"\n";
  const std::string text = outages_text(zone(dead));
  EXPECT_EQ(text.rfind("failures   4 cables are down from the start\n", 0), 0u) << text;
  EXPECT_NE(text.find("rtsw0: 1.6 Tb/s of 2.4 Tb/s upwards from the start, for"), std::string::npos) << text;
  const std::string both = outages_text(
      zone(dead + "[[failure]]\nlink = [\"rtsw0\", \"ctsw1\"]\ncable = 1\nat = \"1 ms\"\nuntil = \"3 ms\"\n"));
  EXPECT_NE(both.find("4 cables are down from the start; 2 changes of 1 cable (1 time down), from 1 ms to 3 ms\n"),
            std::string::npos)
      << both;
}

TEST(Outages, WarnOfWhatCannotRecover) {
  const std::string nic = "[[failure]]\nlink = [\"gpu0\", \"rtsw0\"]\nat = \"1 ms\"\n";
  EXPECT_TRUE(warns(zone(nic), "cut 1 NIC off"));
  EXPECT_FALSE(warns(zone(nic + "until = \"1001 us\"\n"), "NIC off"));
}

/// Nothing leaves a NIC without a cable, so no timer runs; a later cut finds packets under way.
TEST(Outages, ANicThatIsCutOffFromTheStartStalls) {
  const World dead = zone("[[failure]]\nlink = [\"gpu0\", \"rtsw0\"]\n");
  EXPECT_TRUE(warns(dead, "all cables of 1 NIC are down at the start"));
  EXPECT_TRUE(warns(dead, "nothing times out"));
  EXPECT_FALSE(warns(dead, "failures cut 1 NIC off"));
  Engine engine(dead, {.memory_limit_bytes = u64{64} << 20});
  while (engine.advance(kNever)) {
  }
  EXPECT_EQ(engine.outcome().reason, EndReason::stalled);
  EXPECT_EQ(engine.totals().timeouts, 0u);
  const World no_timer = zone("[roce]\nrto = 0\n[[failure]]\nlink = [\"gpu0\", \"rtsw0\"]\n");
  EXPECT_TRUE(warns(no_timer, "down at the start and never come up"));
  EXPECT_FALSE(warns(no_timer, "queue pairs fail"));
}

/// [tcp] of the test: timeouts of 10, 20, 40 and 40 ms.
World zone_with_tcp(TimePs until_ms, const std::string& more = "") {
  return zone("[[failure]]\nlink = [\"gpu0\", \"rtsw0\"]\nat = \"1 ms\"\nuntil = \"" + std::to_string(until_ms) +
                  " ms\"\n[class.best_effort]\ntransport = \"tcp\"\n"
                  "[tcp]\nrto_min = \"10 ms\"\nrto_max = \"40 ms\"\nretries = 3\n",
              "[[message]]\nsrc = 0\ndst = 4\nbytes = 1000\nclass = \"best_effort\"\n" + more);
}

TEST(Outages, TcpTriesAsLongAsItsTimeouts) {
  const World cut = zone_with_tcp(112), back = zone_with_tcp(111);
  EXPECT_TRUE(warns(cut, "(tcp.retries + 1 timeouts, from tcp.rto_min doubled up to tcp.rto_max, take 110 ms)"));
  EXPECT_FALSE(warns(cut, "roce"));
  EXPECT_FALSE(warns(back, "NIC off"));
  const World both = zone_with_tcp(112, "[[message]]\nsrc = 1\ndst = 2\nbytes = 1\n");
  EXPECT_TRUE(warns(both, "RoCE: (roce.rto_tries + 1) * roce.rto = "));
  EXPECT_TRUE(warns(both, "; TCP: tcp.retries + 1 timeouts"));
}

TEST(Outages, WarnOfARackThatIsCutOff) {
  std::string all, back;
  for (int uplink = 0; uplink < 6; ++uplink) {
    const std::string cut = "[[failure]]\nlink = [\"rtsw0\", \"ctsw" + std::to_string(uplink / 2) +
                            "\"]\ncable = " + std::to_string(uplink % 2) + "\nat = \"1 ms\"\n";
    all += cut;
    back += cut + "until = \"1001 us\"\n";
  }
  EXPECT_TRUE(warns(zone(all), "1 switches off")) << outages_text(zone(all));
  EXPECT_FALSE(warns(zone(back), "switches off"));
}

TEST(Outages, ZonesStayUpDown) {
  const LaterRoutes later = later_routes(zone("[[failure]]\nnode = \"ctsw2\"\nat = \"2 ms\"\n"));
  EXPECT_EQ(later.warning, "");
  EXPECT_EQ(later.looked_at, 1u);
  EXPECT_TRUE(later.all);
}

TEST(Outages, CheckSaysForWhichRoutesItsFindingsHold) {
  const auto said = [](const World& world, const std::string& part) {
    const std::string text = check_world(world).text;
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in:\n" << text;
  };
  const std::string one = "[[failure]]\nnode = \"ctsw2\"\nat = \"2 ms\"\n";
  said(zone(""), "routes     no loops, no dead ends\n");
  said(zone(""), "so PFC cannot deadlock\n");
  EXPECT_EQ(check_world(zone("")).text.find("after failures"), std::string::npos);
  said(zone(one), "routes     no loops, no dead ends before anything fails\n");
  said(zone(one), "so PFC cannot deadlock before anything fails\n");
  said(zone(one), "after failures PFC cannot deadlock with the one other set of routes.");
  said(zone(one + "[[failure]]\nnode = \"ctsw1\"\nat = \"4 ms\"\n"),
       "after failures PFC cannot deadlock with any single one of 2 other sets of routes.");
}

/// Cables that are dead at 0 have failed before anything can be said of the routes of the run.
TEST(Outages, CheckSaysThatItsFindingsAreOfAllCables) {
  const std::string text = check_world(zone("[[failure]]\nnode = \"ctsw2\"\n")).text;
  EXPECT_NE(text.find("routes     no loops, no dead ends with all cables up\n"), std::string::npos) << text;
  EXPECT_NE(text.find("so PFC cannot deadlock with all cables up\n"), std::string::npos) << text;
  EXPECT_NE(text.find("with cables down PFC cannot deadlock with the one other set of routes."), std::string::npos)
      << text;
  EXPECT_EQ(text.find("before anything fails"), std::string::npos) << text;
}

/// Recurring routes are checked once, so a link that flaps hides no later routes.
TEST(Outages, RoutesThatComeBackAreLookedAtOnce) {
  const auto flapping = [](const std::string& times) {
    return later_routes(zone(
        "[[failure]]\nlink = [\"rtsw0\", \"ctsw1\"]\nat = \"1 ms\"\nuntil = \"3 ms\"\nperiod = \"10 ms\"\ntimes = " +
        times + "\n[[failure]]\nnode = \"ctsw2\"\nat = \"2 s\"\n"));
  };
  const LaterRoutes twice = flapping("2"), often = flapping("60");
  EXPECT_EQ(often.looked_at, twice.looked_at);
  EXPECT_TRUE(often.all);
}

}  // namespace
}  // namespace heddle
