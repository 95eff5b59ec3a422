// Invariants of the FIFOs: order, bytes, limits, nothing overdue.
#pragma once

#include <string>
#include <vector>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// Remembers what stood in every FIFO.
class QueueLedger {
 public:
  explicit QueueLedger(const Model& model);
  /// The first FIFO whose positions went back or do not fit its ring; that is out of order of time, or holds a packet
  /// of another class; in which a packet has left its place (what stands at a position stays there until it is taken,
  /// but for what a watchdog throws away); whose bytes are not what its packets sum to, or beyond the limit of its
  /// class; or from whose wire a packet was not taken in time.
  std::string check(const Reading& r);

 private:
  /// A sum of hashes of (position, what no node may change of a packet) over the positions before `end`.
  struct Contents {
    u32 end = 0;
    u64 sum = 0;
  };
  const char* check_places(const Reading& r, u32 q);

  std::vector<Contents> contents_;  // [links * classes]
};

}  // namespace heddle
