// Invariants of the FIFOs: order, bytes, limits, no overdue packet.
#pragma once

#include <string>
#include <vector>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// Remembers the contents of every FIFO.
class QueueLedger {
 public:
  explicit QueueLedger(const Model& model);
  /// Reports the first FIFO whose positions decreased or do not fit its ring; that is out of order of time, or holds a
  /// packet of another class; in which a packet has left its position (where it stays until it is taken or a watchdog
  /// drops it); whose bytes are not the sum of its packets, or beyond the limit of its class; or from whose wire a
  /// packet was not taken in time.
  std::string check(const Reading& r);

 private:
  /// A sum of hashes of (position, constant fields of a packet) over the positions before `end`.
  struct Contents {
    u32 end = 0;
    u64 sum = 0;
  };
  const char* check_places(const Reading& r, u32 q);

  std::vector<Contents> contents_;  // [links * classes]
};

}  // namespace heddle
