// The engine: simulates a World tick by tick, on CPU threads or on a GPU, with the same result to the bit.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/boundary/word_buffer.hpp"
#include "kernels/instantiate/options.hpp"
#include "kernels/observe/received.hpp"
#include "kernels/observe/stuck_queue.hpp"
#include "kernels/outcome/conclusion.hpp"
#include "kernels/outcome/counters.hpp"
#include "kernels/restart/records.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Simulates one World. Throws std::invalid_argument with the reason when the World cannot be simulated (a limit of the
/// packet descriptor, a tick longer than a latency, a missing device).
class Engine {
 public:
  Engine(const World& world, const EngineOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Simulates every instant before `until`, or to the end of the run. Returns true while the run has not ended. Throws
  /// CapacityError when a GPU's event buffer is too small for one tick.
  bool advance(TimePs until);
  /// Every instant before now_ps() has been simulated.
  TimePs now_ps() const;
  /// When nothing is in flight: the instant before the horizon until which nothing happens. Otherwise, and in a part of
  /// a World, which cannot know: now_ps().
  TimePs idle_until_ps() const;
  /// Sums so far.
  Totals totals() const;
  /// Counters of every link in the World's order, at now_ps(). `out` has one element per link.
  void link_counters(std::span<LinkCounters> out) const;
  /// Calls `visit` with what receivers have got by now_ps() (observe/received.hpp).
  void visit_received(const ReceivedVisitor& visit) const;
  /// Events recorded since the last call, ordered by (time, node, port, kind, class, value).
  std::vector<Event> take_events();
  /// The outcome of the run; call it when advance() has returned false, or to stop early. Its digest does not depend on
  /// how the World was run, unless memory was used up. After an early stop it equals only that of another stop at the
  /// same instant.
  Outcome outcome();
  /// Digest of the canonical state at now_ps(). It does not depend on tick, backend, number of threads or numbering.
  u64 state_digest() const;
  /// Bytes of simulated state, queued packets included.
  u64 memory_bytes() const;
  /// Number of ticks in which something was simulated, and on a GPU also those in which nodes only receive updates;
  /// skipped idle time has no ticks.
  u64 ticks() const;

  // Checkpoints (restart/): the state as records of words, in any order; see restart/records.hpp.

  /// Writes this part's state at now_ps() to `sink`, block by block; the run can resume afterwards. Nothing may be in
  /// flight to another part. Throws std::logic_error when exhausted().
  void save(const RecordSink& sink) const;
  /// Whether this part needs the record with this head (restart/record_index.hpp); load() may be called without other
  /// records.
  bool needs(u64 record_head) const;
  /// Loads whole records of all parts of a run of the same World, for any partition and backend. Must precede the first
  /// advance(). Throws CheckpointMisfit when they do not fit the World.
  void load(std::span<const u64> records);
  /// Call after the last load(): resumes at the instant at which the records were saved. Events recorded before are not
  /// kept; invariants are not checked any more. Throws CheckpointMisfit when records are missing, CapacityError when
  /// the memory for packets does not suffice.
  void go_on_at(TimePs now_ps);

  // An engine of a Part. The caller advances it period by period and exchanges the messages of neighbours in between.
  // advance() never ends the run by itself, because messages may still arrive when nothing is left to do here. Nor does
  // it check for stuck queues or end the run for a failed queue pair: the caller, which knows all parts, does.

  /// Ranks of the parts that this one has links to, ascending.
  std::vector<u32> neighbours() const;
  /// The memory from which buffers for collect() and deliver() must be allocated.
  WordMemory& word_memory();
  /// At the end of a period: fills out[n] with what this part has caused for the n-th neighbour since the last call.
  /// Returns the earliest time at which any of it takes effect, else kNever. When exhausted(): empty messages, and now.
  TimePs collect(std::span<WordBuffer> out);
  /// Takes from in[n] what the n-th neighbour has collected for this part. Throws std::runtime_error for words that the
  /// neighbour cannot have collected. Takes nothing when exhausted(); may exhaust the memory itself.
  void deliver(std::span<const WordBuffer> in);
  /// Whether the run is at its end, which all parts know; false when exhausted().
  bool over() const;
  /// No memory is left for packets of this part or for delivered ones: some are lost, so the engine cannot be advanced
  /// or saved any more.
  bool exhausted() const;
  /// The earliest instant at which something may happen in this part, as far as it knows; kNever: nothing.
  TimePs next_event_ps() const;
  /// At the horizon: the exact next_event_ps() if the run continued (after a busy tick next_event_ps() is a lower bound
  /// only). Before the horizon, and after a deadlock: now.
  TimePs next_beyond_horizon_ps();
  /// Resumes at `t`, before which nothing happens in any part; kNever ends the run.
  void skip_to(TimePs t);
  /// When the first queue pair of this part failed; kNever: none. The caller ends the run at failure_end_ps().
  TimePs failed_ps() const;
  /// Ends the run at `horizon_ps`, unless it ends earlier.
  void end_at(TimePs horizon_ps);
  /// Whether some pause has no resume yet.
  bool any_paused() const;
  /// Queues of this part that have not moved for Clocks::stuck_ps.
  std::vector<StuckQueue> stuck() const;
  /// Takes the stuck queues of all parts, ordered by number: a deadlock ends the run; else the part of rank 0 warns.
  void judge(std::span<const StuckQueue> stuck);
  /// This part's view of the end of the run.
  Ending ending() const;
  /// Fills `out` with messages of the World from `first` on, as they stood in this part at the last ending(); throws
  /// std::logic_error if anything was simulated, delivered or loaded since.
  void messages(u64 first, std::span<MessageOutcome> out) const;
  /// Every link of the World at the last ending(); `out` has one element for each.
  void links(std::span<LinkOutcome> out) const;
  /// Ordered by time, then by link. Rank 0 holds the warnings of all parts; other parts have none.
  const std::vector<std::string>& warnings() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle
