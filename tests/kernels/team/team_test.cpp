// The verbs of a team: the same outcome whatever the order of a phase.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kernels/team/shuffled.hpp"

namespace heddle {
namespace {

template <class Team>
void expect_verbs(const Team& team) {
  std::mt19937 random(11);
  for (const u32 n : {0u, 1u, 2u, 7u, 64u, 1000u}) {
    std::vector<u32> seen(n, 0);
    team.each(n, [&](u32 i) { ++seen[i]; });
    EXPECT_EQ(seen, std::vector<u32>(n, 1)) << "each: every index once";

    std::vector<u64> words(n);
    u64 bits_set = 0, sum_of_places = 0;
    for (u32 w = 0; w < n; ++w) {
      words[w] = (u64{random()} << 32 | random()) & (u64{random()} << 32 | random());
      for (u32 bit = 0; bit < 64; ++bit) {
        bits_set += (words[w] >> bit) & 1;
        sum_of_places += ((words[w] >> bit) & 1) * (64 * w + bit);
      }
    }
    u64 calls = 0, sum_seen = 0;
    team.bits(words.data(), n, [&](u32 w, u32 bit) {
      EXPECT_TRUE((words[w] >> bit) & 1);
      ++calls;
      sum_seen += 64 * w + bit;
    });
    EXPECT_EQ(calls, bits_set) << "bits: every set bit once";
    EXPECT_EQ(sum_seen, sum_of_places);

    std::vector<u32> offsets(n + 1, 0);
    for (u32 i = 0; i < n; ++i) offsets[i] = random() % 3 == 0 ? 0 : random() % 50;
    std::vector<u32> counts = offsets;
    const u32 total = team.scan(offsets.data(), n);
    u32 sum = 0;
    for (u32 i = 0; i < n; ++i) {
      EXPECT_EQ(offsets[i], sum);
      sum += counts[i];
    }
    EXPECT_EQ(total, sum);
    EXPECT_EQ(offsets[n], sum);

    std::vector<u32> run_of(total, kNone), place_of(total, kNone);
    team.items(
        offsets.data(), n, [](u32 run) { return run; },
        [&](u32 run, u32 j, u32 k) {
          run_of[k] = run;
          place_of[k] = j;
        });
    for (u32 run = 0; run < n; ++run) {
      for (u32 j = 0; j < counts[run]; ++j) {
        ASSERT_EQ(run_of[offsets[run] + j], run);
        ASSERT_EQ(place_of[offsets[run] + j], j);
      }
    }

    std::vector<u64> keys(total), spare(total);
    for (u64& key : keys) key = (u64{random()} << 20) | (&key - keys.data());
    std::vector<u64> sorted = keys;
    for (u32 run = 0; run < n; ++run) std::sort(sorted.begin() + offsets[run], sorted.begin() + offsets[run + 1]);
    team.sort_runs(keys.data(), spare.data(), offsets.data(), n);
    EXPECT_EQ(keys, sorted);
  }
  u32 x = 5;
  EXPECT_EQ(team.add(x, 3u), 5u);
  EXPECT_EQ(x, 8u);
  team.raise(x, 7u);
  EXPECT_EQ(x, 8u);
  u32 y = 5;
  team.lower(y, 7u);
  EXPECT_EQ(y, 5u);
  team.lower(y, 3u);
  EXPECT_EQ(y, 3u);
  team.raise(x, 9u);
  EXPECT_EQ(x, 9u);
}

TEST(Team, SerialVerbs) {
  Tally tally;
  expect_verbs(Serial(&tally));
}

TEST(Team, ShuffledVerbs) {
  Tally tally;
  for (u64 seed = 0; seed < 20; ++seed) expect_verbs(Shuffled(&tally, nullptr, seed));
}

TEST(Team, ShuffledTakesAnotherOrderEveryTime) {
  Tally tally;
  const Shuffled team(&tally, nullptr, 1);
  const auto order = [&] {
    std::vector<u32> indices;
    team.each(100, [&](u32 i) { indices.push_back(i); });
    return indices;
  };
  EXPECT_NE(order(), order());
  const auto first = order();
  EXPECT_FALSE(std::is_sorted(first.begin(), first.end()));
}

}  // namespace
}  // namespace heddle
