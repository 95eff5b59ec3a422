// Checkpoints: the saved state does not depend on the number of ranks, and nothing else is accepted as one.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "kernels/restart/load.hpp"
#include "kernels/restart/record_index.hpp"
#include "kernels/restart/records.hpp"
#include "tests/oracle/tiny_world.hpp"
#include "tests/partition/exchange/storms.hpp"
#include "tests/property/ranks.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

constexpr TimePs kWhen = 30'000'000;

/// Eight senders, one of them paced, to one receiver whose switch port may be paused.
World incast() {
  World world = oracle::star(9);
  for (u32 src = 1; src < 9; ++src) oracle::add_qp(world, src, 0, {{2'000'000, 0}, {100'000, 0}});
  return world;
}

using Records = std::map<std::pair<StateRecord, u64>, std::vector<u64>>;

Records records_of(std::span<const u64> words) {
  Records records;
  while (!words.empty()) {
    const u64 length = words[1];
    const std::span<const u64> content = words.subspan(kStateRecordHead, length);
    records[{kind_of(words[0]), id_of(words[0])}].assign(content.begin(), content.end());
    words = words.subspan(kStateRecordHead + length);
  }
  return records;
}

std::vector<u64> saved_by_one(const World& world, TimePs when_ps = kWhen) {
  Engine engine(world, {});
  engine.advance(when_ps);
  return property::saved(engine);
}

std::vector<Part> dealt_out(const World& world, u32 ranks) {
  std::vector<u32> rank_of_node;
  for (u32 n = 0; n < world.fabric.nodes.size(); ++n) rank_of_node.push_back(n % ranks);
  std::vector<Part> parts;
  for (u32 r = 0; r < ranks; ++r) parts.push_back({rank_of_node, r, oracle::kTinyLambda / 2});
  return parts;
}

std::vector<u64> saved_by_ranks(const World& world, u32 ranks, TimePs when_ps = kWhen) {
  return property::in_ranks(world, {}, dealt_out(world, ranks), [&](RankedEngine& engine) {
    engine.advance(when_ps);
    return property::saved(engine);
  });
}

TEST(Restart, WhatIsSavedDoesNotDependOnRanks) {
  const World world = incast();
  Records one = records_of(saved_by_one(world));
  ASSERT_EQ(one.count({StateRecord::node, world.fabric.endpoints}), 1u);
  EXPECT_TRUE(std::any_of(one.begin(), one.end(), [](const auto& r) { return r.first.first == StateRecord::wire; }));
  one.erase({StateRecord::sums, 0});  // each part has its own
  for (const u32 ranks : {2u, 3u}) {
    Records several = records_of(saved_by_ranks(world, ranks));
    several.erase({StateRecord::sums, 0});
    EXPECT_EQ(one, several) << ranks << " ranks";
  }
}

/// Saved by several ranks between the warnings of some storms and of the others, and resumed by another number of
/// ranks.
TEST(Restart, WarningsGoOnInAnyNumberOfRanks) {
  constexpr TimePs kBetweenPs = 140'000'000;
  const World world = world_with_four_storms();
  const auto end = [](auto& engine) {
    while (engine.advance(kNever)) {
    }
    return engine.outcome().warnings;
  };
  Engine whole(world, {});
  const std::vector<std::string> expected = end(whole);
  ASSERT_EQ(expected.size(), 4u);
  Records one = records_of(saved_by_one(world, kBetweenPs));
  ASSERT_EQ((one[{StateRecord::warned, 0}].front()), 1u) << "so many links";
  for (const u32 ranks : {1u, 2u, 3u}) {
    const std::vector<u64> words = saved_by_ranks(world, ranks, kBetweenPs);
    EXPECT_EQ((records_of(words)[{StateRecord::warned, 0}]), (one[{StateRecord::warned, 0}])) << ranks << " ranks";
    const auto going_on = [&](RankedEngine& engine) {
      engine.load(words);
      engine.go_on_at(kBetweenPs);
      return end(engine);
    };
    EXPECT_EQ(property::in_ranks(world, {}, dealt_out(world, 4 - ranks), going_on), expected) << ranks << " ranks";
  }
}

TEST(Restart, LoadedAndSavedAgainIsTheSame) {
  const World world = incast();
  const std::vector<u64> words = saved_by_one(world);
  Engine engine(world, {});
  engine.load(words);
  engine.go_on_at(kWhen);
  EXPECT_EQ(engine.now_ps(), kWhen);
  EXPECT_EQ(words, property::saved(engine));
}

/// Each rank reads from a state that several have saved what it needs by the index: the whole once, except for cut
/// wires, and the run resumes as usual.
TEST(Restart, PartsReadWhatTheyNeed) {
  const World world = incast();
  const std::vector<u64> words = saved_by_ranks(world, 2), one = saved_by_one(world);
  std::vector<u64> index;
  index_records(words, 0, index);
  for (const u32 ranks : {1u, 3u}) {
    std::atomic<u64> read_words = 0;
    const auto load_and_save = [&](RankedEngine& engine) {
      engine.load({});
      for (const WordRange& range : wanted_words(index, words.size(), [&](u64 head) { return engine.needs(head); })) {
        engine.load(std::span(words).subspan(range.first, range.end - range.first));
        read_words += range.end - range.first;
      }
      engine.go_on_at(kWhen);
      return property::saved(engine);
    };
    const std::vector<u64> again = property::in_ranks(world, {}, dealt_out(world, ranks), load_and_save);
    Records expected = records_of(one), found = records_of(again);
    EXPECT_EQ(expected.erase({StateRecord::sums, 0}) + found.erase({StateRecord::sums, 0}), 2u);
    EXPECT_EQ(expected, found) << ranks << " ranks";
    u64 wire_words = 0;
    for (const auto& [what, content] : expected) {
      if (what.first == StateRecord::wire) wire_words += kStateRecordHead + content.size();
    }
    EXPECT_GE(read_words, words.size());
    EXPECT_LE(read_words, words.size() + (ranks - 1) * wire_words) << "both ends of a wire";
  }
}

TEST(Restart, AnIndexThatDoesNotFitIsRefused) {
  const auto ranges = [](const std::vector<u64>& index, u64 words) {
    return wanted_words(index, words, [](u64 head) { return head < 10; });
  };
  EXPECT_EQ(ranges({}, 0), std::vector<WordRange>{});
  EXPECT_EQ(ranges({1, 0, 2, 5, 11, 9, 3, 20}, 30), (std::vector<WordRange>{{0, 9}, {20, 30}}));
  EXPECT_EQ(ranges({1, 0, 11, 9}, 30), (std::vector<WordRange>{{0, 9}}));
  for (const std::vector<u64>& index :
       std::vector<std::vector<u64>>{{}, {1}, {1, 2}, {1, 0, 2}, {1, 0, 2, 0}, {1, 0, 2, 30}, {1, 0, 2, 31}})
    EXPECT_THROW(ranges(index, 30), std::out_of_range) << index.size();
  EXPECT_THROW(ranges({1, 0}, 0), std::out_of_range);
}

TEST(Restart, AFailureBeforeItStillEndsTheRun) {
  const World world = oracle::star_with_a_failing_qp(50'000'000);
  Engine whole(world, {});
  while (whole.advance(kNever)) {
  }
  const Outcome expected = whole.outcome();
  ASSERT_EQ(expected.reason, EndReason::qp_failed);
  const TimePs after_ps = expected.end_ps - 2 * world.clocks.epoch_ps;  // the time of the failure
  Engine first(world, {}), second(world, {});
  ASSERT_TRUE(first.advance(after_ps));
  second.load(property::saved(first));
  second.go_on_at(after_ps);
  while (second.advance(kNever)) {
  }
  const Outcome outcome = second.outcome();
  EXPECT_EQ(outcome.reason, expected.reason);
  EXPECT_EQ(outcome.end_ps, expected.end_ps);
  EXPECT_EQ(outcome.digest, expected.digest);
  EXPECT_EQ(outcome.explanation, expected.explanation);
}

/// Restarts within the last period before the end: the ranks must know of the failure before they simulate any instant.
TEST(Restart, RanksHearOfAFailureBeforeItInTime) {
  const World world = oracle::star_with_a_failing_qp(50'000'000);
  Engine whole(world, {});
  while (whole.advance(kNever)) {
  }
  const Outcome expected = whole.outcome();
  ASSERT_EQ(expected.reason, EndReason::qp_failed);
  for (const TimePs before_ps : {1'000, 100'000, 400'000}) {
    const TimePs when_ps = expected.end_ps - before_ps;
    const std::vector<u64> words = saved_by_one(world, when_ps);
    const Outcome outcome = property::in_ranks(world, {}, dealt_out(world, 3), [&](RankedEngine& engine) {
      engine.load(words);
      engine.go_on_at(when_ps);
      while (engine.advance(kNever)) {
      }
      return engine.outcome();
    });
    EXPECT_EQ(outcome.reason, expected.reason) << before_ps;
    EXPECT_EQ(outcome.end_ps, expected.end_ps) << before_ps;
    EXPECT_EQ(outcome.digest, expected.digest) << before_ps;
    EXPECT_EQ(outcome.totals.packet_hops, expected.totals.packet_hops) << before_ps;
  }
}

/// The message that loading `words` throws, "" when there is none.
std::string refusal(const World& world, std::span<const u64> words) {
  Engine engine(world, {});
  return test::message_of<CheckpointMisfit>([&] {
    engine.load(words);
    engine.go_on_at(kWhen);
  });
}

TEST(Restart, RefusesWhatIsNotOfThisWorld) {
  const World world = incast();
  std::vector<u64> words = saved_by_one(world);
  EXPECT_EQ(refusal(world, words), "");
  EXPECT_NE(refusal(world, std::span(words).first(words.size() - 1)).find("cut off"), std::string::npos);
  EXPECT_NE(refusal(world, std::span(words).subspan(kStateRecordHead + words[1])).find("9 of the 10 nodes"),
            std::string::npos);
  World fewer = oracle::star(8);
  EXPECT_NE(refusal(fewer, words).find("does not fit this configuration"), std::string::npos);
  std::vector<u64> longer = words;
  longer.insert(longer.begin() + kStateRecordHead, 0);
  ++longer[1];
  EXPECT_NE(refusal(world, longer).find("words left over"), std::string::npos);
  words[0] = state_record_head(static_cast<StateRecord>(9), 0);
  EXPECT_NE(refusal(world, words).find("unknown kind"), std::string::npos);
}

TEST(Restart, NeedsMemoryForWhatWasQueued) {
  World world = oracle::star(9);
  world.fabric.ingress.clear();
  for (Link& link : world.fabric.links) link.ingress = kNone;
  for (u32 src = 1; src < 9; ++src) oracle::add_qp(world, src, 0, {{400'000'000, 0}});
  world.roce.window_packets = 0;
  Engine large(world, {});
  large.advance(2'000'000'000);
  std::vector<u64> words;
  u64 blocks = 0;
  large.save([&](std::span<const u64> block) {
    EXPECT_EQ(whole_records(block), block.size());
    words.insert(words.end(), block.begin(), block.end());
    ++blocks;
  });
  EXPECT_GT(blocks, 1u);
  EngineOptions options;
  options.memory_limit_bytes = 3 << 20;
  Engine small(world, options);
  small.load(words);
  EXPECT_THROW(small.go_on_at(large.now_ps()), CapacityError);
}

}  // namespace
}  // namespace heddle
