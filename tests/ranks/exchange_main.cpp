// heddle_test_exchange KIND TEST, started by mpirun (exchange_test.py). KIND: ranks; node; node:N, or dealt:N,
// where so many ranks of this machine count as a node, one after the other or in turn. TEST: words; worlds, or
// worlds:FIRST:COUNT (seeds); file:CONFIG; choice; counts, or counts:MS, with so many milliseconds between begin and
// end (to count instructions without those of waiting). Ends with 1 and says what is wrong.
#include <fmt/format.h>
#include <mpi.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "partition/exchange/chosen_exchange.hpp"
#include "partition/exchange/node_exchange.hpp"
#include "partition/exchange/rank_exchange.hpp"
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
  if (name == "node" && ranks_per_node.empty()) return std::make_unique<NodeExchange>();
  if (name == "node") return std::make_unique<NodeExchange>(PretendedNodes{number(ranks_per_node), false});
  if (name == "dealt") return std::make_unique<NodeExchange>(PretendedNodes{number(ranks_per_node), true});
  throw std::runtime_error("KIND is ranks, node, node:N or dealt:N, and this is " + kind);
}

/// What every rank has handed to MPI since `before`, per exchange.
std::string sent_since(const MpiCounts& before, u64 exchanges, Exchange& exchange) {
  const u64 mine[] = {mpi_counts().messages - before.messages, mpi_counts().bytes - before.bytes};
  std::string messages = "messages", bytes = "bytes";
  for (const std::vector<u64>& of_rank : exchange.gather(mine)) {
    messages += fmt::format(" {:.4g}", static_cast<double>(of_rank[0]) / static_cast<double>(exchanges));
    bytes += fmt::format(" {:.0f}", static_cast<double>(of_rank[1]) / static_cast<double>(exchanges));
  }
  return messages + "; " + bytes;
}

/// Every rank sends 100 words to every other one, 50 times.
std::string counts_of(Exchange& exchange, std::chrono::milliseconds between) {
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
    exchange.begin_min(std::vector<i64>{1, 2, 3});
    std::this_thread::sleep_for(between);
    exchange.end();
    exchange.end_min();
  }
  return sent_since(before, kTimes, exchange);
}

/// A run of a configuration, divided as `heddle run` does.
std::string file_of(const std::string& config, Exchange& exchange) {
  const MpiCounts before = mpi_counts();
  const FileRun run = exchange_file(exchange, config);
  return fmt::format("digest {:016x}; {} exchanges of {:.0f} bytes a rank; {}", run.digest, run.exchanges,
                     static_cast<double>(run.bytes) / static_cast<double>(run.exchanges * exchange.ranks()),
                     sent_since(before, run.exchanges, exchange));
}

/// What is chosen for a configuration; then, when rank 0 can have no memory to share.
std::string choice_of(Exchange& exchange) {
  std::string found;
  for (const char* choice : {"auto", "node", "ranks"}) found += choose_exchange(choice, false).text + "; ";
  if (exchange.rank() == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit smallest = {0, 0};
    setrlimit(RLIMIT_FSIZE, &smallest);  // holds for files in memory, too
  }
  const ChosenExchange other = choose_exchange("auto", false);
  found += other.text + ": " + other.warning;
  try {
    choose_exchange("node", false);
  } catch (const std::runtime_error& error) {
    const std::string mine = error.what();
    const std::vector<u64> words(mine.begin(), mine.end());
    for (const std::vector<u64>& its : exchange.gather(words)) {
      if (its != words) throw std::runtime_error("ranks throw different errors");
    }
    return found + "; refused: " + mine;
  }
  throw std::runtime_error("nodes without memory to share were not refused");
}

std::string tested(const std::string& test, Exchange& exchange) {
  const auto [name, more] = parted(test);
  if (name == "words") {
    exchange_words(exchange);
    return std::to_string(kExchangeRounds) + " rounds: all words are right";
  }
  if (name == "worlds") {
    const auto [first, count] = parted(more.empty() ? "1:40" : more);
    return std::to_string(exchange_worlds(exchange, number(first), number(count))) + " worlds are those of one engine";
  }
  if (name == "choice") return choice_of(exchange);
  if (name == "file") return file_of(more, exchange);
  if (name == "counts") return counts_of(exchange, std::chrono::milliseconds(more.empty() ? 0 : number(more)));
  throw std::runtime_error("TEST is words, worlds, file, choice or counts, and this is " + test);
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
