// Engines of parts that do not touch each other, in one process.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "partition/halo/ranked_engine.hpp"
#include "partition/halo/thread_exchange.hpp"

namespace heddle {

/// A RankedEngine for each part. They are advanced in turns, each on all the threads that there are: so one that has
/// much to simulate has them to itself while the others skip what repeats itself there (Part::apart). To the caller it
/// is one engine of the whole World.
class ApartEngines final : public WorldEngine {
 public:
  /// `parts` as parts_apart() gives them, at least two; each takes the threads of `options` in its turn, and its share
  /// of the memory. Throws as Engine does.
  ApartEngines(const World& world, const EngineOptions& options, const std::vector<Part>& parts);

  bool advance(TimePs until, OnRepetition on_repetition = OnRepetition::skip) override;
  /// None: each part has its own.
  const std::optional<Repetition>& repetition() const override { return first().repetition(); }
  void skip(u64 times) override { first().skip(times); }
  std::vector<Skip> skips() const override;
  TimePs now_ps() const override { return first().now_ps(); }
  TimePs idle_until_ps() const override { return now_ps(); }
  Totals totals() const override;
  void link_counters(std::span<LinkCounters> out) override;
  std::vector<Event> take_events() override;
  Outcome outcome() override;
  u64 state_digest() override;
  bool can_save() override;
  void save(const RecordSink& sink) override;
  bool needs(u64 record_head) const override;
  void load(std::span<const u64> records) override;
  void go_on_at(TimePs now_ps) override;
  /// Always throws std::logic_error: other routes may join the parts.
  void go_on_with(const World& world) override { first().go_on_with(world); }
  void visit_received(const ReceivedVisitor& visit) const override;
  void sum(std::span<u64> /*words*/) const override {}
  std::vector<i64> least(std::span<const i64> words) const override { return {words.begin(), words.end()}; }
  u64 memory_bytes() const override;
  u64 ticks() const override;
  /// None: nothing leaves this process.
  ExchangeCost exchange_cost() const override { return {}; }

 private:
  /// One part, and its end of what all of them have to know.
  struct Member {
    ThreadExchange exchange;
    RankedEngine engine;
    Member(const World& world, const EngineOptions& options, Meeting& meeting)
        : exchange(meeting, options.part.rank), engine(world, options, exchange) {}
  };

  RankedEngine& first() const { return members_[0]->engine; }
  void at_all(const std::function<void(RankedEngine&, bool is_first)>& call) const;
  /// What the first part says, which is said of all.
  template <class Call>
  auto of_first(const Call& call) const {
    std::invoke_result_t<Call, RankedEngine&> result;
    at_all([&](RankedEngine& engine, bool is_first) {
      auto own = call(engine);
      if (is_first) result = std::move(own);
    });
    return result;
  }

  mutable Meeting meeting_;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace heddle
