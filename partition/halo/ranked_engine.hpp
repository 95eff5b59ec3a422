// The engines of all ranks as one: the same calls and the same results as an Engine of the whole World.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/engine/engine.hpp"
#include "partition/halo/exchange.hpp"
#include "partition/halo/waiting_rows.hpp"
#include "partition/halo/world_engine.hpp"

namespace heddle {

/// Every rank makes one for its part.
///
/// Time goes by in periods of at most half the least latency of a cut link. What a period causes for a neighbour is
/// sent at its end and taken one period later, so that it travels while both compute, and still takes effect in time.
/// With it travels, as a least over all ranks, when something happens next anywhere, and whether a queue pair failed.
/// Parts between which nothing ever travels (Part::apart) meet only where the run could end for all.
class RankedEngine final : public WorldEngine {
 public:
  /// `options.part` is this rank's. The exchange must outlive it. Throws as Engine does.
  RankedEngine(const World& world, const EngineOptions& options, Exchange& exchange);
  /// One engine of the whole World, without ranks.
  RankedEngine(const World& world, const EngineOptions& options);

  bool advance(TimePs until, OnRepetition on_repetition = OnRepetition::skip) override;
  /// Of parts that go on apart: none, as each has its own.
  const std::optional<Repetition>& repetition() const override;
  void skip(u64 times) override;
  std::vector<Skip> skips() const override;
  TimePs now_ps() const override { return std::max(engine_->now_ps(), lag_until_ps_); }
  TimePs idle_until_ps() const override { return exchange_ == nullptr ? engine_->idle_until_ps() : now_ps(); }
  Totals totals() const override;
  void link_counters(std::span<LinkCounters> out) override;
  std::vector<Event> take_events() override;
  Outcome outcome() override;
  u64 state_digest() override;
  bool can_save() override;
  void save(const RecordSink& sink) override;
  bool needs(u64 record_head) const override { return engine_->needs(record_head); }
  void load(std::span<const u64> records) override { engine_->load(records); }
  void go_on_at(TimePs now_ps) override;
  void go_on_with(const World& world) override;
  void visit_received(const ReceivedVisitor& visit) const override { engine_->visit_received(visit); }
  void sum(std::span<u64> words) const override;
  std::vector<i64> least(std::span<const i64> words) const override;
  u64 memory_bytes() const override;
  u64 ticks() const override;
  ExchangeCost exchange_cost() const override;

  // Of this part alone, without a word to the others.
  Totals totals_here() const { return engine_->totals(); }
  void link_counters_here(std::span<LinkCounters> out);
  std::vector<Event> take_events_here();

 private:
  /// How things stood anywhere when the exchange began.
  struct News {
    TimePs next_ps;    // when something happens next
    TimePs failed_ps;  // when the first queue pair failed
    bool broken;       // some rank has no memory left for packets
    bool tried;        // some queue pair has waited for an ACK in vain; of parts that go on apart
  };

  void make_buffers();
  void simulate(TimePs stop, OnRepetition on_repetition = OnRepetition::skip);
  void go_on_apart(TimePs until);
  void simulate_alone(TimePs stop);
  bool lag(TimePs stop);
  void catch_up();
  void go_on_together();
  void begin_exchange();
  News end_exchange();
  void heed(const News& news);
  void skip_to(TimePs next_ps, TimePs limit);
  void settle();
  void look_for_stuck();
  void agree_on_skips();
  void look_for_repetition();
  void skip_before(TimePs limit);
  void make_anew(const World& world);
  std::vector<Skip> skips_here() const;
  bool over() const;
  bool lags() const { return engine_->now_ps() < lag_until_ps_; }
  u64 sum(u64 word) const;

  EngineOptions options_;
  const World* world_;
  std::optional<Engine> engine_;
  Exchange* exchange_ = nullptr;  // null: no ranks
  std::vector<u32> neighbours_;
  std::vector<WordBuffer> out_, in_;  // by neighbour
  u64 messages_ = 0, links_ = 0;      // of the World
  TimePs period_ps_ = 0, tick_ps_ = 0, epoch_ps_ = 0, stuck_ps_ = 0;
  TimePs patience_ps_ = 0;        // from its first wait in vain until a queue pair fails, at least
  bool apart_ = false;            // nothing has to be exchanged before that
  TimePs lag_until_ps_ = 0;       // now, while the engine is behind; else anything before
  WaitingRows rows_;              // of the series, while the engine is behind
  ExchangeCost cost_;             // of this rank
  bool underway_ = false;         // an exchange has begun
  bool settled_ = false;          // nothing has happened since settle()
  bool broken_ = false;           // some rank has no memory left for packets, as all know
  bool agreed_on_skips_ = false;  // they all skip what repeats, or none does
  // Of engines before this one.
  std::vector<Event> earlier_events_;  // that nobody has taken yet
  u64 most_memory_bytes_ = 0;
  std::vector<Skip> earlier_skips_;
};

}  // namespace heddle
