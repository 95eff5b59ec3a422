// Findings of `heddle check`: sizes, routes, cycles of links, costs.
#include <gtest/gtest.h>

#include <algorithm>

#include "host/base/error.hpp"
#include "host/check/errors/routes.hpp"
#include "host/check/errors/up_down.hpp"
#include "host/check/estimates/cost.hpp"
#include "host/check/report.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/topology/link_types.hpp"
#include "host/scenario/topology/zone_tiers.hpp"
#include "kernels/world/fabric_parameters.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

World world_of(const std::string& text) { return build_world(text, "test.toml"); }

constexpr const char* kZone =
    "[topology]\nkind = \"ai_zone\"\nracks = 4\ngpus_per_rack = 4\nctsws = 2\nuplinks_per_rtsw = 4\n"
    "[[message]]\nsrc = 0\ndst = 5\nbytes = \"1 MiB\"\n";

/// A ring of switches with one endpoint each, routed by hand: clockwise all the way round.
World clockwise_ring(u32 switches) {
  World w;
  w.fabric.endpoints = switches;
  w.routing.first_switch = switches;
  w.fabric.tiers = zone_tiers();
  w.fabric.classes = {default_class(0), default_class(1)};
  w.routing.table.groups = switches;
  for (u32 e = 0; e < switches; ++e) {
    w.fabric.nodes.push_back({NodeKind::endpoint, Tier::endpoint, e, 1, 0});
    w.fabric.links.push_back({.src = e, .dst = switches + e, .reverse = switches + 3 * e});
    w.fabric.names.push_back("gpu" + std::to_string(e));
    w.routing.group_of.push_back(e);
    w.routing.attach_switch.push_back(switches + e);
    w.routing.attach_port.push_back(0);
  }
  w.routing.table.sets = {{0, 1}};
  w.routing.table.ports = {1};  // port 0: endpoint, 1: clockwise, 2: back
  for (u32 s = 0; s < switches; ++s) {
    const u32 first = switches + 3 * s, next = (s + 1) % switches, before = (s + switches - 1) % switches;
    w.fabric.nodes.push_back({NodeKind::node_switch, kRtsw, first, 3, 0});
    w.fabric.names.push_back("ring" + std::to_string(s));
    w.fabric.links.push_back({.src = switches + s, .dst = s, .reverse = s});
    w.fabric.links.push_back(
        {.src = switches + s, .dst = switches + next, .src_port = 1, .reverse = switches + 3 * next + 2});
    w.fabric.links.push_back(
        {.src = switches + s, .dst = switches + before, .src_port = 2, .reverse = switches + 3 * before + 1});
    w.routing.table.row_of.push_back(s);
    for (u32 g = 0; g < switches; ++g) w.routing.table.set_of.push_back(g == s ? kNone : 0);
  }
  return w;
}

TEST(CheckRoutes, AClosHasNeitherLoopsNorCircles) {
  const World world = world_of(kZone);
  EXPECT_TRUE(routing_problems(world).empty());
  EXPECT_EQ(buffer_dependency_cycle(world), "");
  EXPECT_EQ(hops_between(world, 0, 5), 2u);
}

TEST(CheckRoutes, FindsTheCircleOfLinksInARing) {
  const World world = clockwise_ring(3);
  EXPECT_TRUE(routing_problems(world).empty()) << "every packet arrives; only the buffers depend on each other";
  const std::string cycle = buffer_dependency_cycle(world);
  EXPECT_NE(cycle.find("ring0 -> ring1"), std::string::npos) << cycle;
  EXPECT_NE(cycle.find("ring2 -> ring0"), std::string::npos) << cycle;
}

/// A long cycle is cut short, and the warning says what breaks it.
TEST(CheckRoutes, SaysWhatPreventsADeadlock) {
  const std::string cycle = buffer_dependency_cycle(clockwise_ring(9));
  EXPECT_EQ(std::ranges::count(cycle, '>'), 6) << cycle;
  EXPECT_TRUE(cycle.ends_with("; and 3 more")) << cycle;
  EXPECT_EQ(buffer_dependency_cycle(clockwise_ring(6)).find("more"), std::string::npos);
  const std::string advice = advice_against_deadlock(clockwise_ring(9));
  EXPECT_NE(advice.find("pfc = false and a limit in class.lossless"), std::string::npos) << advice;
  EXPECT_NE(advice.find("set pfc.watchdog"), std::string::npos) << advice;
  EXPECT_NE(advice.find("fat_tree"), std::string::npos) << advice;
  World explicit_paths = clockwise_ring(9);
  explicit_paths.routing.path_first = {0};
  EXPECT_NE(advice_against_deadlock(explicit_paths).find("routing.paths_file"), std::string::npos);
  const std::vector<std::string> warnings =
      check_world(
          world_of("[topology]\nkind = \"torus\"\n[topology.torus]\ncolumns = 4\nrows = 4\n[[message]]\nsrc = 0\n"
                   "dst = 5\nbytes = 1\n"))
          .warnings;
  EXPECT_TRUE(std::ranges::any_of(warnings, [](const std::string& w) {
    return w.starts_with("cycle of buffer dependencies") && w.find("To prevent it") != std::string::npos;
  }));
}

TEST(CheckRoutes, SaysWhetherRoutingIsUpDown) {
  EXPECT_EQ(down_and_up(world_of(kZone)), "");
  EXPECT_NE(check_world(world_of(kZone)).text.find("routing is up-down: no cycle of buffer dependencies"),
            std::string::npos);
  EXPECT_EQ(down_and_up(clockwise_ring(2)), "");
  EXPECT_EQ(down_and_up(clockwise_ring(3)), "from gpu1 to gpu0: ring1 -> ring2 -> ring0");
}

/// Data go to the next switch, answers back to the sender clockwise, over two links.
World ring_of_paths() {
  World world = clockwise_ring(3);
  Routing& r = world.routing;
  r.path_first = {0};
  for (u32 e = 0; e < 3; ++e) {
    const u32 at = 3 + e, next = 3 + (e + 1) % 3, last = 3 + (e + 2) % 3;
    r.hops.insert(r.hops.end(), {{at, 1}, {next, 0}});
    r.path_first.push_back(static_cast<u32>(r.hops.size()));
    r.hops.insert(r.hops.end(), {{next, 1}, {last, 1}, {at, 0}});
    r.path_first.push_back(static_cast<u32>(r.hops.size()));
    Qp qp;
    qp.src = e;
    qp.dst = (e + 1) % 3;
    qp.traffic_class = 1;
    qp.data_path = 2 * e;
    qp.control_path = 2 * e + 1;
    world.traffic.qps.push_back(qp);
  }
  return world;
}

TEST(CheckRoutes, AnswersInADataClassWaitForEachOtherToo) {
  World world = ring_of_paths();
  EXPECT_TRUE(routing_problems(world).empty());
  EXPECT_EQ(buffer_dependency_cycle(world), "");
  EXPECT_EQ(down_and_up(world), "from gpu1 to gpu0: ring1 -> ring2 -> ring0");
  world.roce.ack_high_priority = false;
  EXPECT_NE(buffer_dependency_cycle(world).find("ring1 -> ring2"), std::string::npos);
}

TEST(CheckRoutes, NoLosslessClassNoCircle) {
  World world = clockwise_ring(3);
  world.fabric.classes[1].pfc = false;
  EXPECT_EQ(buffer_dependency_cycle(world), "");
}

TEST(CheckRoutes, FindsALoop) {
  World world = clockwise_ring(3);
  // packets to group 2 go from ring1 back to ring0, which sends them to ring1 again
  world.routing.table.sets.push_back({1, 1});
  world.routing.table.ports.push_back(2);
  world.routing.table.set_of[1 * 3 + 2] = 1;
  const std::vector<std::string> problems = routing_problems(world);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0], "routing loop for the endpoints of ring2: ring0 -> ring1 -> ring0");
}

TEST(CheckRoutes, FindsADeadEnd) {
  World world = clockwise_ring(3);
  world.routing.table.set_of[1 * 3 + 2] = kNone;
  const std::vector<std::string> problems = routing_problems(world);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0], "ring1 has no way to the endpoints of ring2: the topology is disconnected there");
}

TEST(CheckCost, OneMessageIsItsPacketsTimesItsLinks) {
  const Cost cost = estimate_cost(world_of(kZone));
  EXPECT_EQ(cost.payload_bytes, 1u << 20);
  // 256 packets and 16 ACKs over NIC, RTSW, CTSW, RTSW
  EXPECT_DOUBLE_EQ(cost.packet_hops, (256 + 16) * 4);
}

/// Every queue pair of a connection sends a part of each slice, in at least one packet.
TEST(CheckCost, SplitSlicesAreAsManyMessagesAsQueuePairs) {
  const auto hops = [](const std::string& scaling) {
    return estimate_cost(world_of("[topology]\nkind = \"star\"\nhosts = 2\n[[job]]\ngpus = 2\ngpus_per_server = 1\n"
                                  "channels = 1\nalgorithm = \"ring\"\nprotocol = \"simple\"\nqps_per_connection = 16\n"
                                  "qp_scaling = \"" +
                                  scaling + "\"\n[[job.collective]]\nsizes = [\"16 KiB\"]\n"))
        .packet_hops;
  };
  EXPECT_GT(hops("split"), 5 * hops("round_robin"));
}

TEST(CheckCost, AHorizonLimitsTheWork) {
  const std::string text = std::string("[simulation]\nhorizon = \"1 us\"\n") + kZone;
  EXPECT_LT(estimate_cost(world_of(text)).payload_bytes, 1u << 20);
}

TEST(CheckLinks, GroupsLinksThatLookAlike) {
  const World world = world_of(kZone);
  const std::vector<LinkType> types = link_types_of(world);
  ASSERT_EQ(types.size(), 4u);  // up and down, at hosts and between switches
  u64 links = 0;
  for (const LinkType& type : types) links += type.links;
  EXPECT_EQ(links, world.fabric.links.size());
}

TEST(CheckReport, WarnsAboutALongSlot) {
  const std::string text = std::string("[simulation]\nslot = \"131072 ps\"\n") + kZone;
  const CheckReport report = check_world(world_of(text));
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_NE(report.warnings[0].find("longer than a full packet"), std::string::npos) << report.warnings[0];
  EXPECT_TRUE(check_world(world_of(kZone)).warnings.empty());
}

std::string refusal_of(const std::string& text) {
  return test::message_of<ConfigError>([&] { world_of(text); });
}

TEST(CheckReport, RefusesAFloorOfRatesAboveTheLine) {
  const std::string on = std::string(kZone) + "[dcqcn]\nenabled = true\n";
  const std::string why = refusal_of(on + "min_rate = \"401 Gb/s\"\n");
  EXPECT_NE(why.find("dcqcn.min_rate: 401 Gb/s is above the line rate of gpu0, 400 Gb/s"), std::string::npos) << why;
  EXPECT_EQ(refusal_of(on + "min_rate = \"400 Gb/s\"\n"), "");
  EXPECT_EQ(refusal_of(std::string(kZone) + "[dcqcn]\nmin_rate = \"401 Gb/s\"\n"), "") << "it is off";
  // links keep Q16 picoseconds per byte; a rate of many digits must still equal its own line rate
  EXPECT_EQ(refusal_of(on + "min_rate = \"123456789012 b/s\"\n[link]\nhost_rate = \"123456789012 b/s\"\n"), "");
}

/// Slower ones would make the time of a copy longer than its 32 bits hold.
TEST(CheckReport, RefusesRatesAtWhichCopiesAllButStop) {
  for (const char* key : {"copy_rate_computing", "channel_rate", "ll_channel_rate", "ll128_channel_rate"}) {
    const auto refusal = [&](const char* rate) {
      return refusal_of(std::string(kZone) + "[collective]\n" + key + " = " + rate + "\n");
    };
    EXPECT_NE(refusal("\"99 MB/s\"").find(std::string("collective.") + key + " is below 100 MB/s"), std::string::npos);
    EXPECT_EQ(refusal("\"100 MB/s\""), "") << key;
    EXPECT_EQ(refusal("0"), "") << key << ": no bound";
  }
  const std::string nvls = std::string(kZone) + "[collective]\nnvls_channel_rate = ";
  EXPECT_NE(refusal_of(nvls + "\"7.9 GB/s\"\n").find("collective.nvls_channel_rate is below 8 GB/s"),
            std::string::npos);
  EXPECT_EQ(refusal_of(nvls + "\"8 GB/s\"\n"), "");
}

// A CTSW's ports own their memory, an RTSW's ports share it.
TEST(CheckReport, RefusesQueuesThatNoMemoryBounds) {
  const auto refusal = [](const std::string& more) { return refusal_of(kZone + more); };
  const std::string none = "class = \"best_effort\"\n[class.best_effort]\nlimit = 0\n";
  const std::string why = refusal(none);
  EXPECT_NE(why.find("class.best_effort.limit: 0 B"), std::string::npos) << why;
  EXPECT_NE(why.find("at ctsw0 every port owns its memory (buffer.ctsw.kind = \"static\")"), std::string::npos) << why;
  EXPECT_NE(why.find("at most the port's 500 MB"), std::string::npos) << why;
  EXPECT_EQ(why.find("limit_alpha"), std::string::npos) << why;
  EXPECT_NE(refusal(none + "limit_alpha = 1.0\n").find("limit_alpha acts where memory is shared"), std::string::npos);
  EXPECT_NE(refusal("[class.lossless]\npfc = false\n").find("class.lossless.limit"), std::string::npos);

  EXPECT_EQ(refusal("class = \"best_effort\"\n"), "") << "the default limit";
  EXPECT_EQ(refusal("[class.best_effort]\nlimit = 0\n"), "") << "no traffic of that class";
  EXPECT_EQ(refusal("[class.control]\nlimit = 0\n"), "") << "answers only";
  EXPECT_EQ(refusal(none + "pfc = true\n"), "") << "lossless: charged where it comes in";
  EXPECT_EQ(refusal(none + "[buffer.ctsw]\nkind = \"shared\"\n"), "") << "warned of instead";
}

TEST(CheckReport, WarnsOfQueuesWithoutLimitInSharedMemory) {
  const std::string none =
      std::string(kZone) +
      "class = \"best_effort\"\n[buffer.ctsw]\nkind = \"shared\"\n[class.best_effort]\nlimit = 0\n";
  const CheckReport report = check_world(world_of(none));
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_NE(report.warnings[0].find("class.best_effort: without PFC and without a limit"), std::string::npos)
      << report.warnings[0];
  EXPECT_TRUE(check_world(world_of(none + "limit_alpha = 1.0\n")).warnings.empty());
}

TEST(CheckReport, WarnsOfOvertakingThatMakesNicsGoBack) {
  const auto warnings = [](const std::string& more) {
    return check_world(world_of(std::string(kZone) + "[routing]\n" + more)).warnings;
  };
  for (const char* quiet : {"policy = \"ecmp\"\n", "policy = \"flowlet\"\n", "atsw = \"spray\"\n",
                            "policy = \"adaptive\"\n[routing.adaptive]\nper = \"flowlet\"\n",
                            "policy = \"spray\"\n[roce]\nrecovery = \"selective_repeat\"\n"}) {
    EXPECT_TRUE(warnings(quiet).empty()) << quiet;
  }
  for (const char* overtaking : {"policy = \"spray\"\n", "rtsw = \"spray\"\n", "policy = \"adaptive\"\n"}) {
    const std::vector<std::string> found = warnings(overtaking);
    ASSERT_EQ(found.size(), 1u) << overtaking;
    EXPECT_NE(found[0].find("set roce.recovery = \"selective_repeat\""), std::string::npos) << found[0];
  }
}

TEST(CheckReport, WarnsOfLossesThatOnlyATimeoutCanNotice) {
  const auto warnings = [](const std::string& more) {
    return check_world(world_of(std::string(kZone) + "[roce]\nrecovery = \"selective_repeat\"\n" + more)).warnings;
  };
  EXPECT_TRUE(warnings("").empty());
  EXPECT_TRUE(warnings("window_packets = 65\n").empty());
  const std::vector<std::string> found = warnings("window_packets = 64\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("not more than roce.reorder_distance_packets (64)"), std::string::npos) << found[0];
}

TEST(CheckReport, WarnsOfDcqcnWithoutMarks) {
  const std::string on = std::string(kZone) + "[dcqcn]\nenabled = true\n";
  EXPECT_TRUE(check_world(world_of(on)).warnings.empty());
  for (const auto& [more, why] :
       {std::pair{"[ecn]\nenabled = false\n", "no switch marks"}, std::pair{"[ecn]\ntiers = []\n", "no switch marks"},
        std::pair{"[class.lossless]\necn = false\n", "no class with traffic has ecn"}}) {
    const CheckReport report = check_world(world_of(on + more));
    ASSERT_EQ(report.warnings.size(), 1u) << more;
    EXPECT_NE(report.warnings[0].find(why), std::string::npos) << report.warnings[0];
  }
}

TEST(CheckClocks, PatienceWithStuckQueuesIsConfigured) {
  EXPECT_EQ(world_of(kZone).clocks.stuck_ps, 10'000'000'000);
  EXPECT_EQ(world_of(std::string("[simulation]\nstuck_after = \"2 ms\"\n") + kZone).clocks.stuck_ps, 2'000'000'000);
  const std::string why = refusal_of(std::string("[simulation]\nstuck_after = \"1 ns\"\n") + kZone);
  EXPECT_NE(why.find("simulation.stuck_after: \"1 ns\" is out of range"), std::string::npos) << why;
}

TEST(CheckReport, RefusesWhatTheEngineCannotHold) {
  const std::string text = std::string("[buffer.rtsw]\nalpha = 64.0\n") + kZone;
  const CheckReport report = check_world(world_of(text));
  ASSERT_EQ(report.refusals.size(), 1u);
  EXPECT_NE(report.refusals[0].find("buffer: at rtsw0 (buffer.rtsw) a shared memory has 59611514 B, and alpha times "),
            std::string::npos)
      << report.refusals[0];
}

TEST(CheckReport, NamesTheMemoryThatIsTooLarge) {
  const auto refusal = [](const std::string& more) {
    const CheckReport report = check_world(world_of(kZone + more));
    return report.refusals.empty() ? std::string() : report.refusals[0];
  };
  const std::string shared = "[buffer.ctsw]\nkind = \"shared\"\npools = 1\nbytes = ";
  EXPECT_EQ(refusal(shared + "2147483647\n"), "");
  const std::string why = refusal(shared + "2147483648\n");
  EXPECT_NE(why.find("at ctsw0 (buffer.ctsw) a shared memory has 2147483648 B"), std::string::npos) << why;
  const std::string port = refusal("[buffer.ctsw]\nbytes = 2147483648\n");
  EXPECT_NE(port.find("at ctsw0 (buffer.ctsw) XOFF + headroom of an ingress are 2147483648 B"), std::string::npos)
      << port;
  EXPECT_EQ(refusal("[buffer.ctsw]\nbytes = 2147483647\n"), "");
  // 64 pools of the largest size: the end of the parameter's range
  const std::string most = refusal("[buffer.ctsw]\nkind = \"shared\"\npools = 64\nbytes = 137438953408\n");
  EXPECT_EQ(most, "");
  EXPECT_NE(
      refusal_of(std::string(kZone) + "[buffer.ctsw]\nkind = \"shared\"\nbytes = 137438953409\n").find("out of range"),
      std::string::npos);
}

TEST(CheckReport, WarnsOfAWholeSwitchForEveryPort) {
  const auto warnings = [](const std::string& more) { return check_world(world_of(kZone + more)).warnings; };
  const std::vector<std::string> found = warnings("[buffer.rtsw]\nkind = \"static\"\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("119.2 MB each of rtsw0's 8 ports, 953.8 MB in all"), std::string::npos) << found[0];
  EXPECT_TRUE(warnings("[buffer.rtsw]\nkind = \"static\"\nbytes = \"10 MB\"\n").empty());
}

TEST(CheckReport, WarnsOfAWatchdogShorterThanAPause) {
  const auto warnings = [](const std::string& more) { return check_world(world_of(kZone + more)).warnings; };
  const std::vector<std::string> found = warnings("[pfc]\nwatchdog = \"1 ns\"\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("pfc.watchdog of 1 ns is shorter than any pause that takes effect"), std::string::npos)
      << found[0];
  EXPECT_TRUE(warnings("[pfc]\nwatchdog = \"200 ms\"\n").empty());
}

}  // namespace
}  // namespace heddle
