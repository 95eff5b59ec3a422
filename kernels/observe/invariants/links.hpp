// Invariants of transmitters and wires: bytes conserved, one packet at a time.
#pragma once

#include <string>
#include <vector>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// Follows the bytes that each link sent and delivered, and when its transmitter became free.
class LinkLedger {
 public:
  explicit LinkLedger(const Model& model);
  /// Reports the first link that counts more bytes than its speed allows in the tick, or other bytes than its packets
  /// have; whose bytes started are not those taken + those on the wire; or on which a packet starts outside the tick or
  /// before the previous packet has left.
  std::string check(const Reading& r);

 private:
  struct Sent {
    TimePs end_ps = 0;  // end of the transmission
    TimePs ser_ps = 0;
  };
  struct Ledger {
    u64 sent_bytes = 0, taken_bytes = 0;  // wire bytes since the run began
    TimePs free_ps = 0;
  };
  std::string check_link(const Reading& r, u32 link);
  std::string check_starts(const Reading& r, const Egress& egress, TimePs free_before_ps);

  std::vector<Ledger> ledger_;  // [links]
  std::vector<Sent> sent_;      // of one link in this tick
};

}  // namespace heddle
