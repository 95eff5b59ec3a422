// Invariants of whole switches: what comes in goes out, is held, or was dropped.
#pragma once

#include <string>
#include <vector>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// Remembers what every switch held and had dropped.
class SwitchLedger {
 public:
  explicit SwitchLedger(const Model& model);
  /// The first switch whose packets or bytes in are not those out + held + dropped, or that has exchanged one packet
  /// for another. (A drop counts no bytes: where something was dropped, what is missing must be as many packets, of a
  /// possible size.)
  std::string check(const Reading& r);

 private:
  /// Packets as a sum: how many, bytes held, and a sum of hashes of what no switch may change.
  struct Sum {
    u64 packets = 0, bytes = 0, identity = 0;
    void add(const Packet& packet, u32 cell_bytes);
  };
  struct Ledger {
    Sum held;
    u32 drops = 0;
  };
  std::string check_switch(const Reading& r, u32 node);

  std::vector<Ledger> ledger_;  // [switches]
};

}  // namespace heddle
