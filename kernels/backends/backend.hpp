// The interface of a backend, which runs the ticks of a Model on CPU threads or on a GPU.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/boundary/word_buffer.hpp"
#include "kernels/instantiate/options.hpp"
#include "kernels/outcome/counters.hpp"
#include "kernels/state/model.hpp"
#include "kernels/tick/tick.hpp"

namespace heddle {

class Backend {
 public:
  virtual ~Backend() = default;
  /// Simulates ticks from tick.from on, each ending at a multiple of `tick_ps` or at `until`. Returns at `until`, after
  /// a failure, with a full event buffer, or when nothing is left to do. Updates `tick` to the next; tick.from is
  /// kNever when nothing is left.
  virtual void advance(Tick& tick, TimePs tick_ps, TimePs until, u64& ticks) = 0;
  /// Updates the host's copy of the Model's state, except queued packets and derived arrays.
  virtual void fetch() = 0;
  /// Also updates queued packets (entries in rings) and derived arrays, at the start of a tick with this parity.
  virtual void fetch_all(u32 parity) = 0;
  /// Resumes from the host's copy of the Model's state and the sums so far. Throws CapacityError when there is no room
  /// for the queued packets.
  virtual void restore(const Tally& sums) = 0;
  /// Digest of the canonical state at the start of `tick`, which has not run yet.
  virtual u64 state_digest(const Tick& tick) = 0;
  /// Counters at `now_ps` of the links of this part, by local number; valid until the next call.
  virtual std::span<const LinkCounters> link_counters(TimePs now_ps) = 0;
  /// True when every link of this part is idle (observe/quiet.hpp).
  virtual bool quiet(u32 parity) = 0;
  /// Ports of switches that wait for queues paused since `paused_before_ps` or earlier (observe/stuck_ports.hpp),
  /// ascending.
  virtual std::vector<u64> stuck_ports(TimePs paused_before_ps) = 0;
  /// Lets the run resume in spite of the failure that advance() has stopped at.
  virtual void acknowledge_failure() = 0;
  /// Sums of all workers.
  virtual Tally tally() = 0;
  /// Moves the recorded events out, in the order of outcome/events.hpp.
  virtual std::vector<Event> take_events() = 0;

  // Functions for a part of a World, called between ticks (boundary/).

  /// The earliest event of any node: its own next event, or the wake time that other nodes have set.
  virtual TimePs next_event_ps(u32 parity) = 0;
  /// The memory from which buffers for messages to and from other parts must be allocated.
  virtual WordMemory& word_memory() = 0;
  /// Fills out[n] with what this part has caused for the n-th neighbour since the last call. Returns the earliest time
  /// at which any of it takes effect; kNever when there is nothing. `parity` here and below is that of the next tick.
  virtual TimePs collect(u32 parity, std::span<WordBuffer> out) = 0;
  /// Takes from in[n] what the n-th neighbour has collected. Throws std::runtime_error for words that the neighbour
  /// cannot have collected. Updates the host's copy of RingPool::exhausted, as advance() does.
  virtual void deliver(u32 parity, std::span<const WordBuffer> in) = 0;
  /// Removes packets on cut links that have arrived before `now_ps`: the other part has taken them.
  virtual void release(u32 parity, TimePs now_ps) = 0;
};

/// Throws the error of deliver() for words that do not fit.
[[noreturn]] void refuse_words(const Model& model, u32 n);

/// Runs every node that was busy until `tick.from` once more over an empty interval, on the host's copy of the state,
/// so that View::next_ps holds the exact next event of every node. Flips the parity. Returns the earliest of them.
TimePs look_ahead(Model& model, Tick& tick, TimePs tick_ps);

/// The earliest instant at which a node of the host's copy of the state has something to do.
TimePs earliest_ps(const View& v, u32 parity);

/// The tick after one that ended at `end`, when no event is due before `next`.
HEDDLE_FN Tick next_tick(const Tick& tick, TimePs next, TimePs tick_ps, TimePs until) {
  Tick following{tick.to, tick.to, tick.parity ^ 1};
  if (next >= kNever) {
    following.from = kNever;
  } else if (next > tick.to) {
    const TimePs start = next / tick_ps * tick_ps;
    if (start > following.from) following.from = start < until ? start : until;
  }
  return following;
}

/// The tick that ends the run at the start of `tick`, in which the memory for packets was used up.
HEDDLE_FN Tick stopped_in(const Tick& tick) { return {tick.from, tick.from, tick.parity ^ 1}; }

/// The end of the tick that starts at `from`.
HEDDLE_FN TimePs tick_end(TimePs from, TimePs tick_ps, TimePs until) {
  const TimePs end = (from / tick_ps + 1) * tick_ps;
  return end < until ? end : until;
}

std::unique_ptr<Backend> make_cpu_backend(Model& model, const EngineOptions& options, TimePs tick_ps);
/// Throws std::invalid_argument when this build or this machine has no GPU backend.
std::unique_ptr<Backend> make_gpu_backend(Model& model, const EngineOptions& options, TimePs tick_ps);

}  // namespace heddle
