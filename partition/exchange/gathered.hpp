// The results of all parts, combined by an exchange.
#pragma once

#include <vector>

#include "kernels/engine/engine.hpp"
#include "partition/exchange/exchange.hpp"

namespace heddle {

Totals summed(const Totals& part, Exchange& exchange);

/// The ending of the whole World, at every rank. Its size depends on the collectives, not on the number of messages.
Ending joined(const Ending& part, Exchange& exchange);

/// Stuck queues of all ranks by link, at every rank.
std::vector<StuckQueue> gathered(const std::vector<StuckQueue>& part, Exchange& exchange);

/// Events of all ranks in the order of Engine::take_events(), at rank 0.
std::vector<Event> gathered(const std::vector<Event>& part, Exchange& exchange);

/// All `count` messages of the World at rank 0, empty elsewhere. Chunk by chunk: each rank needs only a few MB more.
std::vector<MessageOutcome> gathered_messages(const Engine& part, u64 count, Exchange& exchange);

/// All `count` links of the World at rank 0, empty elsewhere.
std::vector<LinkOutcome> gathered_links(const Engine& part, u64 count, Exchange& exchange);

}  // namespace heddle
