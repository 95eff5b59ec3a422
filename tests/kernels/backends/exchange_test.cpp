// Messages over a cut: laid out as boundary/words.hpp says, taken whole or not at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "kernels/engine/engine.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle {
namespace {

/// Endpoints 0 and 1 send to 2. The switch and endpoint 2 belong to rank 1.
struct TwoParts {
  World world = with_traffic();
  TimePs period_ps = world.fabric.links[0].lambda_ps / 2;
  Engine senders{world, options(0)};
  Engine others{world, options(1)};

  static World with_traffic() {
    World world = oracle::star(3);
    for (u32 src : {0u, 1u}) world.traffic.messages.push_back({oracle::add_qp(world, src, 2, {}), 20'000, 0});
    return world;
  }
  EngineOptions options(u32 rank) const {
    EngineOptions options;
    options.memory_limit_bytes = 64 << 20;
    options.part = {std::vector<u32>(world.fabric.nodes.size(), 1), rank, period_ps};
    options.part.rank_of_node[0] = options.part.rank_of_node[1] = 0;
    return options;
  }
  void deliver(const std::vector<u64>& words) {
    std::vector<WordBuffer> in;
    in.emplace_back(others.word_memory());
    in[0].make_room(words.size());
    in[0].resize(words.size());
    std::copy(words.begin(), words.end(), in[0].data());
    others.deliver(in);
  }
  /// Returns what the senders cause in the first period; `first_ps` is when the first of it takes effect.
  std::vector<u64> collected(TimePs& first_ps) {
    std::vector<WordBuffer> out;
    out.emplace_back(senders.word_memory());
    senders.advance(period_ps);
    others.advance(period_ps);
    first_ps = senders.collect(out);
    return {out[0].words().begin(), out[0].words().end()};
  }
};

TEST(BoundaryWords, SayWhatLeftWhenItArrives) {
  TwoParts parts;
  TimePs first_ps = 0;
  const std::vector<u64> words = parts.collected(first_ps);
  ASSERT_FALSE(words.empty());
  const u64 heads = words[0];
  EXPECT_EQ(heads, 2u);  // heads of two links, with packets of one class
  u64 packets = 0;
  for (u64 i = 0; i < heads; ++i) packets += words[1 + i] & 0xffffffff;
  EXPECT_EQ(packets, 10u);  // 20,000 B of each sender are 5 packets of 4 KiB, all of which fit into a period
  EXPECT_EQ(words.size(), 1 + heads + 3 * packets);
  EXPECT_EQ(static_cast<TimePs>(words[1 + heads + 2]), first_ps);
  EXPECT_GE(first_ps, 2 * parts.period_ps);
}

TEST(BoundaryWords, AreCollectedOnce) {
  TwoParts parts;
  TimePs first_ps = 0;
  parts.collected(first_ps);
  std::vector<WordBuffer> again;
  again.emplace_back(parts.senders.word_memory());
  EXPECT_EQ(parts.senders.collect(again), kNever);
  EXPECT_TRUE(again[0].words().empty());
}

TEST(BoundaryWords, WakeWhoGetsThem) {
  TwoParts parts;
  TimePs first_ps = 0;
  const std::vector<u64> words = parts.collected(first_ps);
  EXPECT_EQ(parts.others.next_event_ps(), kNever);
  parts.deliver(words);
  EXPECT_EQ(parts.others.next_event_ps(), first_ps);
}

TEST(BoundaryWords, ThatDoNotFitAreRefusedAndChangeNothing) {
  struct Wrong {
    const char* what;
    std::function<void(std::vector<u64>&)> change;
  };
  const std::vector<Wrong> wrongs = {
      {"no records", [](auto& w) { w[0] = 0; }},
      {"more records than FIFOs", [](auto& w) { w[0] = 1000; }},
      {"more records than words", [](auto& w) { w.resize(2); }},
      {"an unknown FIFO", [](auto& w) { w[2] |= u64{1} << 60; }},
      {"FIFOs out of order", [](auto& w) { std::swap(w[1], w[2]); }},
      {"a FIFO twice", [](auto& w) { w[2] = w[1]; }},
      {"an empty record", [](auto& w) { w[1] &= ~u64{0xffffffff}; }},
      {"more packets than words", [](auto& w) { w[1] |= 0xf0000000; }},
      {"a packet too few", [](auto& w) { w.resize(w.size() - 3); }},
      {"a word too many", [](auto& w) { w.push_back(0); }},
  };
  TwoParts parts;
  TimePs first_ps = 0;
  const std::vector<u64> words = parts.collected(first_ps);
  for (const Wrong& wrong : wrongs) {
    std::vector<u64> changed = words;
    wrong.change(changed);
    EXPECT_THROW(parts.deliver(changed), std::runtime_error) << wrong.what;
    EXPECT_EQ(parts.others.next_event_ps(), kNever) << wrong.what;
  }
  parts.deliver(words);
  EXPECT_EQ(parts.others.next_event_ps(), first_ps);
}

TEST(WordBuffer, GrowsAndKeepsItsMemory) {
  HeapWords heap;
  WordBuffer buffer(heap);
  EXPECT_TRUE(buffer.words().empty());
  buffer.make_room(10);
  EXPECT_GE(buffer.capacity(), 10u);
  buffer.resize(10);
  const u64* const memory = buffer.data();
  buffer.make_room(5);
  EXPECT_EQ(buffer.data(), memory);
  EXPECT_EQ(buffer.words().size(), 10u);
}

}  // namespace
}  // namespace heddle
