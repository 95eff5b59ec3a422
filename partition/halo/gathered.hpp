// What parts say one by one, put together by an exchange.
#pragma once

#include <string>
#include <vector>

#include "kernels/observe/conclusion.hpp"
#include "kernels/observe/stuck_queue.hpp"
#include "partition/halo/exchange.hpp"

namespace heddle {

Totals summed(const Totals& part, Exchange& exchange);

/// The ending of the whole World, at every rank.
Ending joined(const Ending& part, Exchange& exchange);

/// Stuck queues of all ranks by link, at every rank.
std::vector<StuckQueue> gathered(const std::vector<StuckQueue>& part, Exchange& exchange);

/// Events of all ranks in the order of Engine::take_events(), at rank 0.
std::vector<Event> gathered(const std::vector<Event>& part, Exchange& exchange);

/// Warnings of all ranks, by rank, at rank 0.
std::vector<std::string> gathered(const std::vector<std::string>& part, Exchange& exchange);

}  // namespace heddle
