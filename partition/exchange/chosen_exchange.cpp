#include "partition/exchange/chosen_exchange.hpp"

#include <stdexcept>
#include <utility>

#include "partition/exchange/node_exchange.hpp"
#include "partition/exchange/rank_exchange.hpp"

namespace heddle {
namespace {

ChosenExchange by_ranks(std::unique_ptr<Exchange> exchange, std::string warning = "") {
  return {std::move(exchange), "rank by rank", std::move(warning)};
}

ChosenExchange by_nodes() {
  auto exchange = std::make_unique<NodeExchange>();
  const u32 nodes = exchange->nodes().count();
  return {std::move(exchange), "by node (" + std::to_string(nodes) + (nodes == 1 ? " node)" : " nodes)"), ""};
}

/// Whether an exchange by nodes is useful: some node has several ranks, and no rank has its words in GPU memory, as
/// memory shared by ranks is host memory.
bool nodes_suit(Exchange& ranks, bool gpu) {
  const bool alone = Nodes(MPI_COMM_WORLD).max_places() == 1;
  const i64 in_host_memory = !(gpu && ranks.reaches_device_memory());
  return ranks.min({&in_host_memory, 1})[0] == 1 && !alone;
}

}  // namespace

ChosenExchange choose_exchange(const std::string& choice, bool gpu) {
  if (choice == "node") return by_nodes();
  auto ranks = std::make_unique<RankExchange>();
  if (choice == "ranks" || !nodes_suit(*ranks, gpu)) return by_ranks(std::move(ranks));
  try {
    return by_nodes();
  } catch (const std::runtime_error& error) {
    return by_ranks(
        std::move(ranks),
        "ranks of one machine cannot share memory, so every pair of ranks exchanges by MPI, which is slower "
        "with many of them (" +
            std::string(error.what()) +
            "); start all ranks of a machine in one container and as one user, or set partition.exchange = "
            "\"ranks\" to be told no more");
  }
}

}  // namespace heddle
