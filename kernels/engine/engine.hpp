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

/// Simulates one World. Throws std::invalid_argument when the World cannot be simulated (a limit of the packet
/// descriptor, a tick beyond a latency, a device that is not there), saying which and why.
class Engine {
 public:
  Engine(const World& world, const EngineOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Simulates every instant before `until`, or to the end of the run. True while the run goes on. Throws CapacityError
  /// when a GPU's event buffer is too small for one tick.
  bool advance(TimePs until);
  /// Every instant before it has been simulated.
  TimePs now_ps() const;
  /// Nothing is under way, and nothing happens before this instant, which lies before the horizon; now_ps() where that
  /// is not so, or not known: in a part of a World.
  TimePs idle_until_ps() const;
  /// Sums so far.
  Totals totals() const;
  /// Counters of every link in the World's order, at now_ps(). `out` has one element per link.
  void link_counters(std::span<LinkCounters> out) const;
  /// What receivers have got, at now_ps() (observe/received.hpp).
  void visit_received(const ReceivedVisitor& visit) const;
  /// Events recorded since the last call, ordered by (time, node, port, kind, class, value).
  std::vector<Event> take_events();
  /// What the run left behind; call it when advance() has returned false, or to stop early. Its digest is the same for
  /// every way to run a World to an end that nothing but the World decides: not when memory was used up, and after an
  /// early stop only for one at the same instant.
  Outcome outcome();
  /// Digest of the canonical state at now_ps(): every instant before it has been simulated, whatever the tick, backend,
  /// number of threads or numbering.
  u64 state_digest() const;
  /// Bytes of simulated state, queued packets included.
  u64 memory_bytes() const;
  /// Ticks in which something was simulated, and on a GPU those in which nodes only receive updates: idle
  /// stretches are skipped.
  u64 ticks() const;

  // Checkpoints (restart/). The state as records of words, whose order means nothing; see restart/records.hpp.

  /// Hands this part's state at now_ps() to `sink`, block by block, while the run goes on. Of a part: nothing may be on
  /// its way to another. Throws std::logic_error when exhausted().
  void save(const RecordSink& sink) const;
  /// Whether this part needs the record with this head (restart/record_index.hpp); what it does not need may be left
  /// out.
  bool needs(u64 record_head) const;
  /// Takes whole records of all parts of a run of the same World, divided in any way, on any backend. Before the first
  /// advance. Throws CheckpointMisfit when they do not fit the World.
  void load(std::span<const u64> records);
  /// After the last of them: goes on at the instant at which they were saved. Events recorded before are not kept;
  /// invariants are not checked any more. Throws CheckpointMisfit when something is missing, CapacityError when the
  /// memory for packets does not suffice.
  void go_on_at(TimePs now_ps);

  // An engine of a Part. It is advanced period by period, and in between what was caused for its neighbours is carried
  // to them. An advance never ends the run by itself: nothing may be left here, and something still come from others.
  // Nor does it look for stuck queues or end the run for a failed queue pair: whoever joins the parts does.

  /// Ranks of the parts that this one has links to, ascending.
  std::vector<u32> neighbours() const;
  /// Where words to and from other parts must lie, so that collect() and deliver() reach them.
  WordMemory& word_memory();
  /// Fills out[n] with what was caused for the n-th neighbour since the last call; to be called at the end of a period.
  /// Returns when the first of all takes effect, kNever: there is nothing. Nothing, and now, when exhausted().
  TimePs collect(std::span<WordBuffer> out);
  /// Takes from in[n] what the n-th neighbour has collected for this part. Throws std::runtime_error when some cannot
  /// be from there. Takes nothing any more when exhausted(), which this may cause.
  void deliver(std::span<const WordBuffer> in);
  /// At the end of the run, as all parts know: not when exhausted().
  bool over() const;
  /// No memory is left for packets, of this part's own or for what was delivered: some are lost, so it cannot be
  /// advanced or saved any more.
  bool exhausted() const;
  /// The earliest instant at which something may happen here, as far as this part knows; kNever: nothing.
  TimePs next_event_ps() const;
  /// The same at the horizon, but exactly: when something would happen here if the run went on (a tick that was busy
  /// says only that something may). Before the horizon, and after a deadlock: now.
  TimePs next_beyond_horizon_ps();
  /// Goes on at `t`, before which nothing happens anywhere; kNever ends the run.
  void skip_to(TimePs t);
  /// When the first queue pair of this part failed; kNever: none. The run is to end where failure_end_ps() says.
  TimePs failed_ps() const;
  /// The run ends at `horizon_ps`, or where it would have ended before that.
  void end_at(TimePs horizon_ps);
  /// Some pause has no resume yet.
  bool any_paused() const;
  /// Queues of this part that have not moved for Clocks::stuck_ps.
  std::vector<StuckQueue> stuck() const;
  /// Takes the stuck queues of all parts, by link: a deadlock ends the run; of others the part of rank 0 warns.
  void judge(std::span<const StuckQueue> stuck);
  /// What this part says of the end.
  Ending ending() const;
  /// Messages of the World from `first` on, as many as `out` has elements: what of them had happened here at the last
  /// ending(), since which nothing was simulated, delivered or loaded (std::logic_error).
  void messages(u64 first, std::span<MessageOutcome> out) const;
  /// Every link of the World, likewise: `out` has one element for each.
  void links(std::span<LinkOutcome> out) const;
  /// By time, and by link of those found at one instant; of a part: of all parts, at rank 0 alone.
  const std::vector<std::string>& warnings() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle
