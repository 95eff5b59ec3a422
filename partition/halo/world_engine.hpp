// An engine of a whole World, however it is divided.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/engine/engine.hpp"

namespace heddle {

/// What the exchanges of a run took.
struct ExchangeCost {
  u64 exchanges = 0;   // per rank
  u64 sent_bytes = 0;  // between neighbours, of all ranks
  double wait_s = 0;   // for neighbours and for what all know; of the rank that waited longest
};

/// The calls of an Engine. Where processes share a World every one makes the same calls in the same order, and all get
/// the same results, except that what grows with the World comes to rank 0 alone: messages, links, events, warnings,
/// skips, counters of links.
class WorldEngine {
 public:
  virtual ~WorldEngine() = default;

  /// As Engine's.
  virtual bool advance(TimePs until, OnRepetition on_repetition = OnRepetition::skip) = 0;
  virtual const std::optional<Repetition>& repetition() const = 0;
  /// As Engine's. Several ranks load their state anew, as what they know of each other does not move on with it: so it
  /// is not found again behind a part of what was found.
  virtual void skip(u64 times) = 0;
  virtual std::vector<Skip> skips() const = 0;
  virtual TimePs now_ps() const = 0;
  /// As Engine's; now_ps() where parts would have to ask each other.
  virtual TimePs idle_until_ps() const = 0;
  /// Where parts go on apart, they may lack what one of them is yet to skip; not after any of the calls below.
  virtual Totals totals() const = 0;
  /// `out` has one element per link of the World; elsewhere than at rank 0 it holds what this part has counted.
  virtual void link_counters(std::span<LinkCounters> out) = 0;
  virtual std::vector<Event> take_events() = 0;
  /// Elsewhere than at rank 0 without messages, links, events and warnings.
  virtual Outcome outcome() = 0;
  virtual u64 state_digest() = 0;
  /// Whether the state is one to go on from: every rank has had memory for what was on its way to it. If not, advance()
  /// returns false from now on.
  virtual bool can_save() = 0;
  /// The state of all parts as records (Engine::save), at rank 0, which never holds more than a block of every rank.
  /// Throws std::logic_error unless can_save().
  virtual void save(const RecordSink& sink) = 0;
  /// As Engine's. Every rank takes all records.
  virtual bool needs(u64 record_head) const = 0;
  virtual void load(std::span<const u64> records) = 0;
  virtual void go_on_at(TimePs now_ps) = 0;
  /// Goes on from here with a World that differs from the one so far in nothing but Routing::controller. Nothing that
  /// happens before now_ps() may hang on the difference. Events must have been taken. For a moment the state is there
  /// twice: in an engine and as records. Throws std::logic_error unless can_save(); and as the constructor, load() and
  /// go_on_at() do, after which nothing can be done with this any more.
  virtual void go_on_with(const World& world) = 0;
  /// What receivers of this process have got.
  virtual void visit_received(const ReceivedVisitor& visit) const = 0;
  /// Of every word over the processes, mod 2^64, at each of them.
  virtual void sum(std::span<u64> words) const = 0;
  /// The least of every word over the processes, for what they have to agree on.
  virtual std::vector<i64> least(std::span<const i64> words) const = 0;
  /// Of all ranks; of the engine that had most.
  virtual u64 memory_bytes() const = 0;
  /// Of the rank with the most.
  virtual u64 ticks() const = 0;
  virtual ExchangeCost exchange_cost() const = 0;
};

}  // namespace heddle
