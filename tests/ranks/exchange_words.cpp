// Ranks send each other words of random lengths, and every word that comes is looked at.
#include "tests/ranks/exchange_words.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "kernels/base/hash.hpp"

namespace heddle {
namespace {

/// The same random number for all who ask for it.
u64 draw(u64 what, u64 round, u32 from, u32 to = 0) {
  return hash64(what, Stream::workload, (round << 16) | (u64{from} << 8) | to);
}

/// Of what goes from one rank to another: none, few, many, and what is about as long as a first message may be, growing
/// and shrinking from round to round.
u64 length_of(u64 round, u32 from, u32 to) {
  const u64 any = draw(1, round, from, to);
  const u64 power = u64{4096} << (any >> 8) % (1 + round / 80);
  switch (any % 6) {
    case 0:
      return 0;
    case 1:
      return any % 100;
    case 2:
      return power - 1;
    case 3:
      return power;
    case 4:
      return power + 1;
    default:
      return any % (2 * power);
  }
}

std::vector<u64> words_of(u64 round, u32 from, u32 to) {
  std::vector<u64> words(length_of(round, from, to));
  for (u64 i = 0; i < words.size(); ++i) words[i] = draw(2, round, from, to) + i;
  return words;
}

/// Neighbours are so to each other; in some rounds a pair has nothing to say to each other at all.
std::vector<u32> neighbours_of(u64 round, const Exchange& exchange) {
  std::vector<u32> neighbours;
  for (u32 r = 0; r < exchange.ranks(); ++r) {
    const u32 low = std::min(r, exchange.rank()), high = std::max(r, exchange.rank());
    if (low != high && draw(3, round, low, high) % 5 != 0) neighbours.push_back(r);
  }
  return neighbours;
}

/// Now and then a rank is late, so that others are ahead of it as far as they can be.
void dawdle(u64 what, u64 round, const Exchange& exchange) {
  const u64 drawn = draw(what, round, exchange.rank());
  if (drawn % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(drawn >> 8 & 1023));
}

void require(bool good, const std::string& what, u64 round) {
  if (!good) throw std::runtime_error(what + ", in round " + std::to_string(round));
}

void one_round(u64 round, Exchange& exchange) {
  const std::vector<u32> neighbours = neighbours_of(round, exchange);
  HeapWords heap;
  std::vector<WordBuffer> out, in;
  for (const u32 to : neighbours) {
    const std::vector<u64> words = words_of(round, exchange.rank(), to);
    out.emplace_back(heap).make_room(words.size());
    out.back().resize(words.size());
    std::ranges::copy(words, out.back().data());
    in.emplace_back(heap);
  }
  dawdle(6, round, exchange);
  exchange.begin(neighbours, out, in);
  const i64 mine = static_cast<i64>(draw(4, round, exchange.rank()) >> 1);
  const std::vector<i64> offered(1 + round % 12, mine);
  exchange.begin_min(offered);
  const bool between = round % 3 == 0;  // other calls while one has begun
  const i64 other = -mine;
  const i64 min_between = between ? exchange.min({&other, 1})[0] : 0;
  dawdle(7, round, exchange);
  exchange.end();
  const std::vector<i64> minima = exchange.end_min();
  for (std::size_t n = 0; n < in.size(); ++n) {
    const std::vector<u64> expected = words_of(round, neighbours[n], exchange.rank());
    require(std::ranges::equal(in[n].words(), expected), "words from rank " + std::to_string(neighbours[n]) + " differ",
            round);
  }
  i64 lowest = mine, highest = mine;
  for (u32 r = 0; r < exchange.ranks(); ++r) {
    lowest = std::min(lowest, static_cast<i64>(draw(4, round, r) >> 1));
    highest = std::max(highest, static_cast<i64>(draw(4, round, r) >> 1));
  }
  require(minima == std::vector<i64>(offered.size(), lowest), "the minimum of all", round);
  require(!between || min_between == -highest, "the minimum in between", round);
}

void put_together(u64 round, Exchange& exchange) {
  const u32 rank = exchange.rank();
  const std::vector<u64> mine = words_of(round, rank, rank);
  const std::vector<std::vector<u64>> all = exchange.gather(mine), at_first = exchange.gather_at_first(mine);
  require(all.size() == exchange.ranks() && at_first.size() == (rank == 0 ? all.size() : 0), "so many parts", round);
  for (u32 r = 0; r < all.size(); ++r) require(all[r] == words_of(round, r, r), "what was gathered", round);
  for (u32 r = 0; r < at_first.size(); ++r) require(at_first[r] == all[r], "what was gathered at rank 0", round);

  std::vector<u64> one(1000), sums(1000);
  for (u64 i = 0; i < one.size(); ++i) one[i] = draw(5, round, rank) + i;
  for (u32 r = 0; r < exchange.ranks(); ++r) {
    for (u64 i = 0; i < sums.size(); ++i) sums[i] += draw(5, round, r) + i;
  }
  std::vector<u64> everywhere = one, first = one;
  exchange.sum(everywhere);
  exchange.sum_at_first(first);
  require(everywhere == sums, "the sums", round);
  require(first == (rank == 0 ? sums : one), "the sums at rank 0", round);
}

}  // namespace

void exchange_words(Exchange& exchange) {
  for (u32 round = 0; round < kExchangeRounds; ++round) {
    one_round(round, exchange);
    if (round % 20 == 0) put_together(round, exchange);
  }
}

}  // namespace heddle
