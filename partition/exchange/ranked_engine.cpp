#include "partition/exchange/ranked_engine.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "partition/exchange/gathered.hpp"
#include "partition/exchange/part_records.hpp"

namespace heddle {

RankedEngine::RankedEngine(const World& world, const EngineOptions& options, Exchange& exchange)
    : options_(options),
      engine_(std::in_place, world, options),
      exchange_(&exchange),
      neighbours_(engine_->neighbours()),
      messages_(world.traffic.messages.size()),
      links_(world.fabric.links.size()),
      period_ps_(options.part.period_ps),
      tick_ps_(world.clocks.tick_ps),
      epoch_ps_(world.clocks.epoch_ps),
      stuck_ps_(world.clocks.stuck_ps) {
  if (period_ps_ <= 0 || 2 * period_ps_ > failure_notice_ps(epoch_ps_)) {
    throw std::invalid_argument("ranks: the period between exchanges is " + std::to_string(period_ps_) +
                                " ps; it must be at least 1 ps and at most half of " +
                                std::to_string(kFailureEpochs - 1) + " epochs of " + std::to_string(epoch_ps_) +
                                " ps, or a run could not end in time when a queue pair fails");
  }
  make_buffers();
}

RankedEngine::RankedEngine(const World& world, const EngineOptions& options)
    : options_(options), engine_(std::in_place, world, options) {}

void RankedEngine::make_buffers() {
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    out_.emplace_back(engine_->word_memory());
    in_.emplace_back(engine_->word_memory());
  }
}

bool RankedEngine::advance(TimePs until) {
  if (exchange_ == nullptr) return engine_->advance(until);
  while (!over() && now_ps() < until) {
    const TimePs look = next_look_ps(now_ps(), stuck_ps_);
    const TimePs stop = std::min(until, look);
    if (underway_) {
      const Minima minima = end_exchange();
      apply(minima);
      skip_to(minima.next_ps, stop);
    }
    if (!over() && now_ps() < stop) {
      begin_exchange();
      simulate(std::min(stop, (now_ps() / period_ps_ + 1) * period_ps_));
    }
    if (!over() && now_ps() >= look) look_for_stuck();
  }
  return !over();
}

bool RankedEngine::over() const { return broken_ || engine_->over(); }

/// Advances to `stop`; a rank that is out of memory stays in step until all know it.
void RankedEngine::simulate(TimePs stop) {
  settled_ = false;
  engine_->advance(stop);
  if (engine_->exhausted()) engine_->skip_to(stop);
}

void RankedEngine::begin_exchange() {
  const TimePs next_ps = std::min(engine_->next_event_ps(), engine_->collect(out_));
  ++cost_.exchanges;
  for (const WordBuffer& words : out_) cost_.sent_bytes += words.words().size_bytes();
  exchange_->begin(neighbours_, out_, in_);
  exchange_->begin_min(std::array{next_ps, engine_->failed_ps(), TimePs{engine_->exhausted() ? 0 : 1}});
  underway_ = true;
}

RankedEngine::Minima RankedEngine::end_exchange() {
  const auto start = std::chrono::steady_clock::now();
  exchange_->end();
  const std::vector<i64> minima = exchange_->end_min();
  cost_.wait_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  engine_->deliver(in_);
  underway_ = false;
  return {minima[0], minima[1], minima[2] == 0};
}

void RankedEngine::apply(const Minima& minima) {
  broken_ = broken_ || minima.broken;
  if (minima.failed_ps < kNever) engine_->end_at(failure_end_ps(minima.failed_ps, epoch_ps_));
}

/// Skips to `next_ps`: nothing has happened before it, nor will.
void RankedEngine::skip_to(TimePs next_ps, TimePs limit) {
  if (next_ps >= kNever) {
    engine_->skip_to(kNever);
  } else if (next_ps > now_ps()) {
    engine_->skip_to(std::min(limit, next_ps / tick_ps_ * tick_ps_));
  }
}

/// Empties the exchange between ranks; all then know whether received words have used up some rank's memory.
void RankedEngine::settle() {
  if (settled_) return;
  if (underway_) apply(end_exchange());
  begin_exchange();
  apply(end_exchange());
  const i64 goes_on = !engine_->exhausted();
  broken_ = min({&goes_on, 1})[0] == 0;
  settled_ = true;
}

void RankedEngine::look_for_stuck() {
  if (underway_) apply(end_exchange());
  const TimePs none_paused = engine_->any_paused() ? 0 : 1;
  if (min({&none_paused, 1})[0] == 0) engine_->judge(gathered(engine_->stuck(), *exchange_));
}

Totals RankedEngine::totals() const {
  return exchange_ == nullptr ? engine_->totals() : summed(engine_->totals(), *exchange_);
}

void RankedEngine::link_counters(std::span<LinkCounters> out) const {
  engine_->link_counters(out);
  if (exchange_ == nullptr) return;
  exchange_->sum_at_first({reinterpret_cast<u64*>(out.data()), out.size() * (sizeof(LinkCounters) / sizeof(u64))});
}

std::vector<Event> RankedEngine::take_events() {
  return exchange_ == nullptr ? engine_->take_events() : gathered(engine_->take_events(), *exchange_);
}

Outcome RankedEngine::outcome() {
  if (exchange_ == nullptr) return engine_->outcome();
  settle();
  const i64 next_ps = engine_->next_beyond_horizon_ps();
  if (min({&next_ps, 1})[0] >= kNever) engine_->skip_to(kNever);
  Ending end = joined(engine_->ending(), *exchange_);
  engine_->end_at(end.exhausted_ps);  // some ranks have continued until they knew
  if (is_complete(end)) engine_->skip_to(kNever);
  Outcome out = conclude(std::move(end), sum(engine_->state_digest()));
  out.messages = gathered_messages(*engine_, messages_, *exchange_);
  out.links = gathered_links(*engine_, links_, *exchange_);
  out.events = take_events();
  out.warnings = engine_->warnings();
  return out;
}

u64 RankedEngine::state_digest() {
  if (exchange_ == nullptr) return engine_->state_digest();
  settle();
  return sum(engine_->state_digest());
}

bool RankedEngine::can_save() {
  if (exchange_ == nullptr) return !engine_->exhausted();
  settle();
  return !broken_;
}

void RankedEngine::save(const RecordSink& sink) {
  if (exchange_ == nullptr) return engine_->save(sink);
  if (!can_save()) throw std::logic_error("save: a rank has used up its memory for packets, so some of them are lost");
  // The ranks hand over a block each until none has any left.
  const auto all_done = [&](std::span<const u64> block, bool mine_done) {
    for (const std::vector<u64>& of_rank : exchange_->gather_at_first(block)) sink(of_rank);
    const i64 done = mine_done;
    return min({&done, 1})[0] == 1;
  };
  engine_->save([&](std::span<const u64> block) { all_done(block, false); });
  while (!all_done({}, true)) {
  }
}

void RankedEngine::go_on_at(TimePs now_ps) {
  settled_ = false;
  engine_->go_on_at(now_ps);
  // A queue pair of another rank may have failed before: then the run may end within the first period.
  if (exchange_ != nullptr) settle();
}

void RankedEngine::go_on_with(const World& world) {
  if (!can_save()) throw std::logic_error("go_on_with: a rank has used up its memory for packets");
  PartRecords records = records_of(*engine_, world, options_.part);
  max_memory_bytes_ = std::max(max_memory_bytes_, engine_->memory_bytes());
  const TimePs now = now_ps();
  out_.clear();  // the buffers' memory belongs to the engine
  in_.clear();
  engine_.reset();  // before the next one: both states need not fit into the memory together
  engine_.emplace(world, options_);
  make_buffers();
  for (std::vector<u64>& block : records.own) {
    engine_->load(block);
    block = {};
  }
  if (exchange_ == nullptr) {
    engine_->load(records.shared);
  } else {
    for (const std::vector<u64>& of_rank : exchange_->gather(records.shared)) engine_->load(of_rank);
  }
  go_on_at(now);
}

void RankedEngine::sum(std::span<u64> words) const {
  if (exchange_ != nullptr) exchange_->sum(words);
}

u64 RankedEngine::memory_bytes() const { return sum(std::max(max_memory_bytes_, engine_->memory_bytes())); }

u64 RankedEngine::sum(u64 word) const {
  sum(std::span(&word, 1));
  return word;
}

std::vector<i64> RankedEngine::min(std::span<const i64> words) const {
  if (exchange_ == nullptr) return {words.begin(), words.end()};
  return exchange_->min(words);
}

ExchangeCost RankedEngine::exchange_cost() const {
  const i64 waited_us = -static_cast<i64>(cost_.wait_s * 1e6);
  return {cost_.exchanges, sum(cost_.sent_bytes), -static_cast<double>(min({&waited_us, 1})[0]) * 1e-6};
}

}  // namespace heddle
