// The engines of all ranks as one: with the calls and results of an Engine of the whole World.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/engine/engine.hpp"
#include "partition/exchange/exchange.hpp"

namespace heddle {

/// The cost of a run's exchanges.
struct ExchangeCost {
  u64 exchanges = 0;   // per rank
  u64 sent_bytes = 0;  // between neighbours, of all ranks
  double wait_s = 0;   // waiting for neighbours and for minima; of the rank that waited longest
};

/// Every rank constructs one for its part and makes the same calls in the same order. All of them get the same results,
/// except that what grows with the World comes to rank 0 alone: messages, links, events, warnings, counters of links.
///
/// Time advances in periods of at most half the least latency of a cut link. The words of a period for a neighbour are
/// sent at its end and delivered one period later, so that they travel while both compute, and still take effect in
/// time. Each exchange also takes the minimum over ranks of the next event time and of the first failure of a queue
/// pair.
class RankedEngine {
 public:
  /// `options.part` is this rank's. The exchange must outlive it. Throws as Engine does.
  RankedEngine(const World& world, const EngineOptions& options, Exchange& exchange);
  /// One engine of the whole World, without ranks.
  RankedEngine(const World& world, const EngineOptions& options);

  /// As Engine::advance.
  bool advance(TimePs until);
  TimePs now_ps() const { return engine_->now_ps(); }
  /// As Engine::idle_until_ps; now_ps() where parts would have to ask each other.
  TimePs idle_until_ps() const { return exchange_ == nullptr ? engine_->idle_until_ps() : now_ps(); }
  Totals totals() const;
  /// `out` has one element per link of the World; on ranks other than 0 it holds the counts of this part.
  void link_counters(std::span<LinkCounters> out) const;
  std::vector<Event> take_events();
  /// The outcome; on ranks other than 0 without messages, links, events and warnings.
  Outcome outcome();
  u64 state_digest();
  /// Whether the state can be resumed from: every rank has had memory for what was in transit to it. If not, advance()
  /// returns false from now on.
  bool can_save();
  /// The state of all parts as records (Engine::save), at rank 0, which never holds more than a block of every rank.
  /// Throws std::logic_error unless can_save().
  void save(const RecordSink& sink);
  /// As in Engine. Every rank takes all records.
  bool needs(u64 record_head) const { return engine_->needs(record_head); }
  void load(std::span<const u64> records) { engine_->load(records); }
  void go_on_at(TimePs now_ps);
  /// Continues from here with a World that differs from the present one only in Routing::controller. Nothing before
  /// now_ps() may depend on the difference. Events must have been taken. For a moment the state exists twice: in an
  /// engine and as records. Throws std::logic_error unless can_save(); and as the constructor, load() and go_on_at()
  /// do, after which the object is unusable.
  void go_on_with(const World& world);
  /// Visits the packets received in this rank's part.
  void visit_received(const ReceivedVisitor& visit) const { engine_->visit_received(visit); }
  /// The sum of every word over the ranks, mod 2^64, at each of them.
  void sum(std::span<u64> words) const;
  /// The minimum of every word over the ranks.
  std::vector<i64> min(std::span<const i64> words) const;
  /// Memory of all ranks, each with the engine that had most.
  u64 memory_bytes() const;
  ExchangeCost exchange_cost() const;

 private:
  /// Minima over all ranks when the exchange began.
  struct Minima {
    TimePs next_ps;    // when something happens next
    TimePs failed_ps;  // when the first queue pair failed
    bool broken;       // some rank has no memory left for packets
  };

  void make_buffers();
  void simulate(TimePs stop);
  void begin_exchange();
  Minima end_exchange();
  void apply(const Minima& minima);
  void skip_to(TimePs next_ps, TimePs limit);
  void settle();
  void look_for_stuck();
  bool over() const;
  u64 sum(u64 word) const;

  EngineOptions options_;
  std::optional<Engine> engine_;
  Exchange* exchange_ = nullptr;  // null: no ranks
  std::vector<u32> neighbours_;
  std::vector<WordBuffer> out_, in_;  // by neighbour
  u64 messages_ = 0, links_ = 0;      // numbers of the World
  TimePs period_ps_ = 0, tick_ps_ = 0, epoch_ps_ = 0, stuck_ps_ = 0;
  ExchangeCost cost_;         // cost of this rank
  bool underway_ = false;     // an exchange is in progress
  bool settled_ = false;      // nothing has happened since settle()
  bool broken_ = false;       // some rank has no memory left for packets, as all know
  u64 max_memory_bytes_ = 0;  // most memory of earlier engines
};

}  // namespace heddle
