// Simulates a World with ranks that are threads of this process.
#pragma once

#include <exception>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

#include "partition/exchange/ranked_engine.hpp"
#include "tests/property/thread_exchange.hpp"

namespace heddle::property {

/// Calls use(engine) in every rank and returns the result of rank 0. An exception in any rank ends all of them, and is
/// rethrown here.
template <class Use>
auto in_ranks(const World& world, const EngineOptions& options, const std::vector<Part>& parts, const Use& use) {
  std::vector<std::invoke_result_t<Use, RankedEngine&>> results(parts.size());
  std::vector<std::exception_ptr> errors;  // the first one causes the others
  std::mutex errors_mutex;
  Meeting meeting(static_cast<u32>(parts.size()));
  const auto one_rank = [&](const Part& part) {
    try {
      EngineOptions of_rank = options;
      of_rank.part = part;
      ThreadExchange exchange(meeting, part.rank);
      RankedEngine engine(world, of_rank, exchange);
      results[part.rank] = use(engine);
    } catch (...) {
      const std::lock_guard lock(errors_mutex);
      errors.push_back(std::current_exception());
      meeting.fail();
    }
  };
  std::vector<std::thread> threads;
  for (const Part& part : parts) threads.emplace_back(one_rank, part);
  for (std::thread& thread : threads) thread.join();
  if (!errors.empty()) std::rethrow_exception(errors.front());
  return std::move(results[0]);
}

/// Runs from the first to the last instant.
inline Outcome outcome_in_ranks(const World& world, const EngineOptions& options, const std::vector<Part>& parts) {
  return in_ranks(world, options, parts, [](RankedEngine& engine) {
    while (engine.advance(kNever)) {
    }
    return engine.outcome();
  });
}

/// Returns the state of all ranks on the first rank; empty on the others.
template <class AnyEngine>
std::vector<u64> saved(AnyEngine& engine) {
  std::vector<u64> words;
  engine.save([&](std::span<const u64> block) { words.insert(words.end(), block.begin(), block.end()); });
  return words;
}

}  // namespace heddle::property
