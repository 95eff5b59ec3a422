// Rings that would wait for themselves are refused, and no others: every case is run.
#include "host/check/errors/ring_slots.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "host/check/report.hpp"
#include "host/scenario/build.hpp"
#include "kernels/engine/engine.hpp"

namespace heddle {
namespace {

struct Ring {
  std::string kind;
  u32 gpus = 2, gpus_per_server = 1, slots = 1, slices_per_chunk = 2;
  std::string size = "1 KiB", min_slice = "0";
};

std::string text_of(const Ring& r) {
  return fmt::format(
      "[topology]\nkind = \"star\"\nhosts = {}\n[[job]]\nalgorithm = \"ring\"\nprotocol = \"simple\"\ngpus_per_server "
      "= {}\nslots = {}\nslices_per_chunk = {}\n"
      "slice = \"64\"\nchannels = 1\nmin_slice = \"{}\"\n[[job.collective]]\nkind = \"{}\"\nsizes = [\"{}\"]\n",
      r.gpus, r.gpus_per_server, r.slots, r.slices_per_chunk, r.min_slice, r.kind, r.size);
}

EndReason end_of(const World& world) {
  Engine engine(world, {.memory_limit_bytes = u64{64} << 20});
  while (engine.advance(kNever)) {
  }
  return engine.outcome().reason;
}

/// Whether the ring is refused; its run must then stall, and otherwise complete.
bool refused(const Ring& ring) {
  const World world = build_world(text_of(ring), "test.toml");
  const bool refused = !ring_slot_problems(world).empty();
  EXPECT_EQ(refused, !refusals_of(world).empty());
  EXPECT_EQ(end_of(world), refused ? EndReason::stalled : EndReason::complete) << text_of(ring);
  return refused;
}

TEST(RingSlots, WhatStallsIsRefusedAndNothingElse) {
  u32 cases = 0, refusals = 0;
  for (const char* kind : {"all_reduce", "all_gather"}) {  // reduce_scatter has as many hops as all_gather
    for (const u32 gpus : {2, 4}) {
      for (const u32 server : {1, 2, 4}) {
        if (gpus % server != 0) continue;
        for (const u32 slots : {1, 2, 3}) {
          for (const u32 slices : {1, 2}) {
            for (const char* size : {"64", "4 KiB"}) {  // only a last chunk, and several loops
              for (const char* small : {"0", "64"}) {
                ++cases;
                refusals += refused({kind, gpus, server, slots, slices, size, small});
              }
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(refusals, 60u) << "of " << cases;
}

TEST(RingSlots, ByHand) {
  EXPECT_FALSE(refused({.kind = "all_gather", .gpus = 2})) << "one hop over the network";
  EXPECT_TRUE(refused({.kind = "all_reduce", .gpus = 2})) << "two hops";
  EXPECT_TRUE(refused({.kind = "all_gather", .gpus = 4}));
  EXPECT_TRUE(refused({.kind = "reduce_scatter", .gpus = 4, .gpus_per_server = 2})) << "partly NVLink";
  EXPECT_FALSE(refused({.kind = "all_gather", .gpus = 4, .slices_per_chunk = 1})) << "chunks of one slice";
  EXPECT_TRUE(refused({.kind = "all_gather", .gpus = 4, .size = "256", .min_slice = "64"}))
      << "the second one is empty";
  EXPECT_TRUE(refused({.kind = "all_gather", .gpus = 2, .gpus_per_server = 2})) << "one hop over NVLink";
  EXPECT_FALSE(refused({.kind = "all_gather", .gpus = 2, .gpus_per_server = 2, .slots = 2}));
  EXPECT_TRUE(refused({.kind = "all_gather", .gpus = 4, .gpus_per_server = 4, .slots = 2})) << "all NVLink";
  EXPECT_FALSE(refused({.kind = "all_gather", .gpus = 4, .gpus_per_server = 4, .slots = 3}));
}

TEST(RingSlots, ARefusalNamesTheKeysAndWhatToSet) {
  const auto problem_of = [](const Ring& ring) {
    const std::vector<std::string> problems = ring_slot_problems(build_world(text_of(ring), "test.toml"));
    return problems.size() == 1 ? problems[0] : std::to_string(problems.size());
  };
  EXPECT_EQ(problem_of({.kind = "all_reduce", .gpus = 4}),
            "job[0].slots = 1: a chunk of its rings is 2 slices (job[0].slices_per_chunk), which takes at least 2 "
            "slots: with fewer, every rank waits for ever for the next one to free a slot, on any fabric; set "
            "job[0].slots to 2 or more (0: 4, as NCCL has), or job[0].slices_per_chunk = 1");
  const std::string nvlink = problem_of({.kind = "all_reduce", .gpus = 4, .gpus_per_server = 4});
  EXPECT_NE(nvlink.find("at least 3 slots where all is NVLink"), std::string::npos) << nvlink;
  EXPECT_EQ(nvlink.find("or job[0].slices_per_chunk = 1"), std::string::npos) << "that were too many still: " << nvlink;
}

}  // namespace
}  // namespace heddle
