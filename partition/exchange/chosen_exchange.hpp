// How words travel between the engines of a run over several ranks, as a configuration asks for it.
#pragma once

#include <memory>
#include <string>

#include "partition/exchange/exchange.hpp"

namespace heddle {

struct ChosenExchange {
  std::unique_ptr<Exchange> exchange;
  std::string text;     // "by node (2 nodes)"
  std::string warning;  // why it is not what it would be elsewhere; of any rank
};

/// `choice` is a word of partition.exchange: node, ranks, or auto: node where a node has more than one rank, words lie
/// in the host's memory, and ranks of a machine can open each other's; else ranks. `gpu`: engines of this rank run on
/// one. All ranks call it with the same choice and take the same. Throws std::runtime_error, on all ranks, when `node`
/// is asked for and cannot be.
ChosenExchange choose_exchange(const std::string& choice, bool gpu);

}  // namespace heddle
