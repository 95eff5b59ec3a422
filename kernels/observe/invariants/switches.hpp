// Invariants of whole switches: packets that arrive leave, are held, or were dropped.
#pragma once

#include <string>
#include <vector>

#include "kernels/observe/invariants/reading.hpp"

namespace heddle {

/// Remembers the packets that every switch held and dropped.
class SwitchLedger {
 public:
  explicit SwitchLedger(const Model& model);
  /// Reports the first switch whose packets or bytes in are not those out + held + dropped, or that has replaced a
  /// packet by another. (A drop counts no bytes: with drops, the missing bytes must be a possible size of as many
  /// packets.)
  std::string check(const Reading& r);

 private:
  /// A sum over packets: their number, bytes held, and hashes of the fields that no switch may change; it may change
  /// the class of those that take detours.
  struct Sum {
    u64 packets = 0, bytes = 0, identity = 0;
    void add(const Settings& s, Packet packet, u32 cell_bytes);
  };
  struct Ledger {
    Sum held;
    u32 drops = 0;
  };
  std::string check_switch(const Reading& r, u32 node);

  std::vector<Ledger> ledger_;  // [switches]
};

}  // namespace heddle
