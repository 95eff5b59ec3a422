// The hashes of tiers: from lists, from sections of their own, in one fabric and in several.
#include "host/scenario/topology/switch_hashes.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/base/error.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"

namespace heddle {
namespace {

const std::string kTwoTier =
    "kind = \"two_tier\"\n[{0}topology.two_tier]\nleaves = 2\ngpus_per_leaf = 2\nspines = 1\n"
    "uplinks_per_leaf = 2\n";

std::string two_tier(const std::string& of) {
  std::string text = "[" + of + "topology]\n" + kTwoTier;
  return text.replace(text.find("{0}"), 3, of);
}

RoutingHash hash_of(const std::string& text) { return build_world(load_config_text(text, "hashes.toml")).routing.hash; }

TEST(SwitchHashes, ATierHasItsOwnFunctionAndOffset) {
  const RoutingHash hash =
      hash_of(two_tier("") +
              "[routing.hash]\nfunction = \"crc32\"\noffset = 9\nfold = true\nbits = 5\n[tier.spine]\n"
              "hash_function = \"xor16\"\nhash_offset = 3\n");
  EXPECT_EQ(hash.of_tier[1].function, HashFunction::crc32);
  EXPECT_EQ(hash.of_tier[1].offset, 9u);
  EXPECT_EQ(hash.of_tier[2].function, HashFunction::xor16);
  EXPECT_EQ(hash.of_tier[2].offset, 3u);
  EXPECT_EQ(hash.of_tier[2].bits, 5u);
  EXPECT_TRUE(hash.of_tier[2].fold);
}

TEST(SwitchHashes, AnOffsetMayGoWithTheFunctionOfAll) {
  const RoutingHash hash =
      hash_of(two_tier("") + "[routing.hash]\nfunction = \"crc32\"\n[tier.leaf]\nhash_offset = 16\n");
  EXPECT_EQ(hash.of_tier[1].function, HashFunction::crc32);
  EXPECT_EQ(hash.of_tier[1].offset, 16u);
  EXPECT_EQ(hash.of_tier[2].offset, 0u);
}

TEST(SwitchHashes, AListIsOfTheFirstFabricAndATierOfAnotherMayDiffer) {
  const std::string zone =
      "[topology]\nkind = \"ai_zone\"\nracks = 3\ngpus_per_rack = 2\nctsws = 2\n"
      "uplinks_per_rtsw = 2\n[routing.hash]\nfunction = [\"crc32\", \"crc16\", \"ideal\"]\n"
      "offset = [1, 2, 3]\n";
  const RoutingHash hash =
      hash_of(zone + "[[fabric]]\nname = \"frontend\"\n" + two_tier("fabric.") +
              "[fabric.tier.leaf]\nhash_function = \"ideal\"\n[fabric.tier.spine]\nhash_offset = 7\n");
  EXPECT_EQ(hash.of_tier[1].function, HashFunction::crc32);
  EXPECT_EQ(hash.of_tier[2].offset, 2u);
  EXPECT_EQ(hash.of_tier[4].function, HashFunction::ideal);
  EXPECT_EQ(hash.of_tier[5].function, HashFunction::crc16) << "as CTSWs";
  EXPECT_EQ(hash.of_tier[5].offset, 7u);
}

TEST(SwitchHashes, OptionsThatContradictEachOtherAreRefused) {  // also where no file says them
  FabricOptions fabric;
  fabric.topology.kind = "two_tier";
  RoutingOptions routing;
  routing.hash.function = {"crc16", "crc32", "ideal"};
  routing.tier_hashes[0].function = "crc16";
  EXPECT_EQ(problem_of_hashes(fabric, routing, {}).substr(0, 25), "tier.leaf.hash_function: ");
  fabric.topology.kind = "ai_zone";
  EXPECT_EQ(problem_of_hashes(fabric, routing, {}), "");
}

}  // namespace
}  // namespace heddle
