// The engine: simulates a World tick by tick, on CPU threads or on a GPU, with the same result to the bit.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernels/observe/counters.hpp"
#include "kernels/observe/outcome.hpp"
#include "kernels/world.hpp"

namespace heddle {

enum class Device : u8 { cpu = 0, gpu = 1 };

/// Every tick is shorter than this, 134 us: arrival keys hold 28 bits of picoseconds.
inline constexpr TimePs kTickLimitPs = TimePs{1} << 27;

struct EngineOptions {
  Device device = Device::cpu;
  u32 threads = 1;
  u32 sharing_from_nodes =
      48;                  // a tick like one with fewer busy nodes is not worth waking other threads for; 0: always
  bool trace = false;      // departures enter the digest too
  u32 recorded_kinds = 0;  // bit mask of EventKind to keep for take_events()
  bool check = false;      // verify invariants after every tick (slow); a violation ends the run with an error
  bool shuffled = false;   // testing team: every phase in another order
  u64 shuffle_seed = 1;
  u64 numbering_seed = 0;      // not 0: nodes are numbered in another order inside; must change nothing
  u64 memory_limit_bytes = 0;  // for the state with its queued packets; 0 = 80 % of the machine's memory
};

/// A run that has begun cannot go on for want of room. Nothing is wrong with the program: what() says what to change.
struct CapacityError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

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
  /// Sums so far.
  Totals totals() const;
  /// Counters of every link in the World's order, at now_ps(). `out` has one element per link.
  void link_counters(std::span<LinkCounters> out) const;
  /// Events recorded since the last call, ordered by (time, node, port, kind, value).
  std::vector<Event> take_events();
  /// What the run left behind; call it when advance() has returned false, or to stop early.
  Outcome outcome();
  /// Digest of the canonical state at now_ps(): every instant before it has been simulated, whatever the tick, backend,
  /// number of threads or numbering.
  u64 state_digest() const;
  /// Bytes of simulated state, queued packets included.
  u64 memory_bytes() const;
  /// Ticks that were simulated; idle stretches are skipped.
  u64 ticks() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle
