// Ranks as processes find what one engine finds.
#include "tests/ranks/exchange_worlds.hpp"

#include <stdexcept>
#include <string>

#include "partition/cut/cut.hpp"
#include "partition/exchange/ranked_engine.hpp"
#include "tests/property/random_cut.hpp"
#include "tests/property/world_case.hpp"

namespace heddle {
namespace {

EngineOptions options_of_test() {
  EngineOptions options;
  options.trace = true;
  options.memory_limit_bytes = 64 << 20;
  return options;
}

template <class AnyEngine>
Outcome outcome_of(AnyEngine& engine) {
  while (engine.advance(kNever)) {
  }
  return engine.outcome();
}

}  // namespace

u32 exchange_worlds(Exchange& exchange, u64 first_seed, u64 seeds) {
  u32 worlds = 0;
  for (u64 seed = first_seed; seed < first_seed + seeds; ++seed) {
    const World world = property::build(property::case_of_seed(seed));
    const std::vector<Part> parts = property::random_cut(world, exchange.ranks(), seed);
    if (parts.size() != exchange.ranks()) continue;
    EngineOptions options = options_of_test();
    Engine whole(world, options);
    options.part = parts[exchange.rank()];
    RankedEngine engine(world, options, exchange);
    const Outcome alone = outcome_of(whole), together = outcome_of(engine);
    const bool same = together.digest == alone.digest && together.end_ps == alone.end_ps &&
                      together.reason == alone.reason && together.totals.packet_hops == alone.totals.packet_hops;
    if (!same)
      throw std::runtime_error("the world of seed " + std::to_string(seed) + " differs from that of one engine");
    ++worlds;
  }
  return worlds;
}

FileRun exchange_file(Exchange& exchange, const std::string& config) {
  const World world = property::build(property::read_case(config));
  EngineOptions options;
  options.part = cut_world(world, "metis", exchange.ranks()).part(exchange.rank());
  RankedEngine engine(world, options, exchange);
  const Outcome outcome = outcome_of(engine);
  const ExchangeCost cost = engine.exchange_cost();
  return {outcome.digest, cost.exchanges, cost.sent_bytes};
}

}  // namespace heddle
