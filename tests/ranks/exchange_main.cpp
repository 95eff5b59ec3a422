// heddle_test_exchange KIND TEST, started by mpirun (exchange_test.py). KIND: ranks, node, or node:N for N ranks of this
// machine to a node. TEST: words, worlds, worlds:FIRST:COUNT (seeds), counts. Ends with 1 and says what is wrong.
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "partition/halo/node_exchange.hpp"
#include "partition/halo/rank_exchange.hpp"
#include "tests/ranks/exchange_words.hpp"
#include "tests/ranks/exchange_worlds.hpp"
#include "tests/ranks/mpi_counts.hpp"

namespace heddle {
namespace {

/// "node:2" is ("node", "2").
std::pair<std::string, std::string> parted(const std::string& word) {
  const std::size_t colon = word.find(':');
  return {word.substr(0, colon), colon == std::string::npos ? "" : word.substr(colon + 1)};
}

u32 number(const std::string& text) { return static_cast<u32>(std::stoul(text)); }

std::unique_ptr<Exchange> exchange_of(const std::string& kind) {
  const auto [name, ranks_per_node] = parted(kind);
  if (name == "ranks") return std::make_unique<RankExchange>();
  if (name != "node") throw std::runtime_error("KIND is ranks, node or node:N, and this is " + kind);
  return std::make_unique<NodeExchange>(ranks_per_node.empty() ? 0 : number(ranks_per_node));
}

/// Every rank sends 100 words to every other one, 50 times: messages and bytes of one time, by rank.
std::string counts_of(Exchange& exchange) {
  constexpr u64 kTimes = 50, kWords = 100;
  HeapWords heap;
  std::vector<u32> neighbours;
  std::vector<WordBuffer> out, in;
  for (u32 rank = 0; rank < exchange.ranks(); ++rank) {
    if (rank == exchange.rank()) continue;
    neighbours.push_back(rank);
    out.emplace_back(heap).make_room(kWords);
    out.back().resize(kWords);
    in.emplace_back(heap);
  }
  const MpiCounts before = mpi_counts();
  for (u64 time = 0; time < kTimes; ++time) {
    exchange.begin(neighbours, out, in);
    exchange.begin_least(std::vector<i64>{1, 2, 3});
    exchange.end();
    exchange.end_least();
  }
  const u64 mine[] = {(mpi_counts().messages - before.messages) / kTimes, (mpi_counts().bytes - before.bytes) / kTimes};
  std::string messages = "messages", bytes = "bytes";
  for (const std::vector<u64>& of_rank : exchange.gather(mine)) {
    messages += " " + std::to_string(of_rank[0]);
    bytes += " " + std::to_string(of_rank[1]);
  }
  return messages + "; " + bytes;
}

std::string tested(const std::string& test, Exchange& exchange) {
  const auto [name, seeds] = parted(test);
  if (name == "words") {
    exchange_words(exchange);
    return std::to_string(kExchangeRounds) + " rounds: all words are right";
  }
  if (name == "worlds") {
    const auto [first, count] = parted(seeds.empty() ? "1:80" : seeds);
    return std::to_string(exchange_worlds(exchange, number(first), number(count))) + " worlds are those of one engine";
  }
  if (name == "counts") return counts_of(exchange);
  throw std::runtime_error("TEST is words, worlds, worlds:FIRST:COUNT or counts, and this is " + test);
}

void run(const std::string& kind, const std::string& test) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    const std::unique_ptr<Exchange> exchange = exchange_of(kind);
    const std::string found = tested(test, *exchange);
    if (rank == 0) std::printf("%d ranks, %s: %s\n", ranks, kind.c_str(), found.c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "rank %d, %s: %s\n", rank, kind.c_str(), e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

}  // namespace
}  // namespace heddle

int main(int count, char** arguments) {
  MPI_Init(nullptr, nullptr);
  heddle::run(count > 1 ? arguments[1] : "", count > 2 ? arguments[2] : "");
  MPI_Finalize();
}
