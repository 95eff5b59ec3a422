// A controller that measures: its words in a checkpoint, and refusals. tests/property tests its measurements.
#include "host/scenario/controller/measured.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "host/check/plan_text.hpp"
#include "host/scenario/build.hpp"
#include "partition/exchange/ranked_engine.hpp"
#include "tests/host/scenario/topology/worlds.hpp"
#include "tests/scratch.hpp"

namespace heddle {
namespace {

using testing_worlds::config_error_of;

std::string zone(const std::string& controller) {
  return "[dcqcn]\nenabled = false\n[topology]\nkind = \"ai_zone\"\nracks = 2\ngpus_per_rack = 2\nctsws = 2\n"
         "uplinks_per_rtsw = 2\n[[message]]\nsrc = 0\ndst = 2\nbytes = 1000000\n[routing]\n"
         "policy = \"traffic_engineering\"\n" +
         controller;
}

World world_of(const std::string& text) { return build_world(text, "test.toml"); }

constexpr const char* kMeasured = "[routing.traffic_engineering]\ndemands = \"measured\"\nperiod = \"1 us\"\n";

TEST(Measured, NothingIsPlannedBeforeTheRun) {
  const World world = world_of(zone(kMeasured));
  EXPECT_TRUE(demands_are_measured(world));
  EXPECT_TRUE(world.routing.controller.empty());
  EXPECT_NE(plan_text(world).find("measures what NICs send to racks, and solves for it every 1 us from 1 us on"),
            std::string::npos);
}

TEST(Measured, OnlyWhereAPolicyLooksAtIt) {
  std::string text = zone(kMeasured);
  text.replace(text.find("traffic_engineering"), std::string("traffic_engineering").size(), "ecmp");
  EXPECT_FALSE(demands_are_measured(world_of(text.substr(0, text.find("[routing.traffic")))));
}

TEST(Measured, ItsWordsGiveItBack) {
  World world = world_of(zone(kMeasured)), other = world;
  MeasuringController controller(world);
  EXPECT_EQ(controller.next_ps(), 1'000'000);
  RankedEngine engine(world, {});
  while (engine.now_ps() < 20'000'000) {
    ASSERT_TRUE(engine.advance(controller.next_ps()));
    if (engine.now_ps() == controller.next_ps()) controller.solve(engine);
  }
  ASSERT_EQ(world.routing.controller.size(), 1u) << "the last solution";
  const std::vector<u64> words = controller.words();
  MeasuringController again(other);
  again.restore(words);
  EXPECT_EQ(again.words(), words);
  EXPECT_EQ(again.next_ps(), controller.next_ps());
  EXPECT_EQ(other.routing.controller.at(0).from_ps, world.routing.controller.at(0).from_ps);
  EXPECT_THROW(again.restore(std::span(words).first(words.size() - 1)), std::out_of_range);
}

/// Two racks of one GPU each with the traffic of `workload`, under a controller that measures.
std::string two_gpus(const std::string& workload) {
  return "[dcqcn]\nenabled = false\n[topology]\nkind = \"ai_zone\"\nracks = 2\ngpus_per_rack = 1\nctsws = 2\n"
         "uplinks_per_rtsw = 2\n[routing]\npolicy = \"traffic_engineering\"\n" +
         std::string(kMeasured) + "[[job]]\ngpus_per_server = 1\n" + workload;
}

/// Runs to the end; returns the most entries of a solution: each demand has one at its RTSW and one at a CTSW.
size_t entries_of_plan(const std::string& config) {
  World world = world_of(config);
  MeasuringController controller(world);
  RankedEngine engine(world, {});
  size_t most = 0;
  while (engine.advance(controller.next_ps())) {
    if (engine.now_ps() < controller.next_ps()) continue;
    controller.solve(engine);
    for (const RouteEntries& entries : world.routing.controller) most = std::max(most, entries.entries.size());
  }
  EXPECT_EQ(engine.outcome().reason, EndReason::complete) << engine.outcome().explanation;
  return most;
}

std::string file_of(const std::string& text) {
  const std::string path = test::fresh_folder() + "/in.txt";
  std::ofstream(path) << text;
  return path;
}

/// The empty slice of a pair with 0 bytes in a matrix, and an empty send of a schedule, are packets.
TEST(Measured, CountsWhatHasNoPayload) {
  const std::string matrix =
      "[[job.collective]]\nkind = \"all_to_all_v\"\nmatrix_file = \"" + file_of("0 100000\n0 0\n") + "\"\n";
  EXPECT_EQ(entries_of_plan(two_gpus(matrix)), 4u) << "of both GPUs, though one has nothing to send";
  const std::string send = "[job.trace]\nformat = \"goal\"\nfile = \"" +
                           file_of("num_ranks 2\nrank 0 {\nsend 0b to 1\n}\nrank 1 {\nrecv 0b from 0\n}\n") + "\"\n";
  EXPECT_EQ(entries_of_plan(two_gpus(send)), 2u);
}

TEST(Measured, WhatCannotBeIsRefused) {
  EXPECT_NE(config_error_of([] {
              world_of(zone("[routing.traffic_engineering]\ndemands = \"measured\"\n"));
            }).find("needs the time over which they are measured; set routing.traffic_engineering.period"),
            std::string::npos);
  EXPECT_NE(config_error_of([] {
              world_of(zone(std::string("demands_file = \"d.csv\"\n") + kMeasured));
            }).find("routing.demands_file is given, but routing.traffic_engineering.demands is \"measured\""),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
