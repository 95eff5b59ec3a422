// The exchange between the engines of a run over several ranks, as configured.
#pragma once

#include <memory>
#include <string>

#include "partition/exchange/exchange.hpp"

namespace heddle {

struct ChosenExchange {
  std::unique_ptr<Exchange> exchange;
  std::string text;     // "by node (2 nodes)"
  std::string warning;  // why `auto` has chosen less than usual; the same on all ranks
};

/// `choice` is a word of partition.exchange: node, ranks, or auto: node where a node has more than one rank, words are
/// in host memory, and ranks of a machine can open each other's memory; else ranks. `gpu`: engines of this rank run on
/// a GPU. To be called by all ranks with the same choice; all get the same exchange. Throws std::runtime_error, on all
/// ranks, when `node` is asked for and impossible.
ChosenExchange choose_exchange(const std::string& choice, bool gpu);

}  // namespace heddle
