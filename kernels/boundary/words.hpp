// The layout in words of a message that crosses a cut, and the FIFOs it comes from.
//
// An empty message has no words. Otherwise: the number of records, a head for each, then their contents one after the
// other. A head holds the FIFO's number at the neighbour's boundary and the number of its items: FIFO 32 | count 32. A
// packet is three words (descriptor, arrival time), a pause change is one (time it takes effect << 1 | pause).
#pragma once

#include "kernels/state/view.hpp"

namespace heddle {

/// The storage of the pause changes of a link, which the part at its receiving end produces.
struct PauseRing {
  u64* changes;
  u32 mask;
  HEDDLE_FN PauseRing(const View& v, u32 link, u32 pfc_index) {
    const IngressPort& port = v.ingress[v.egress[link].reverse];
    mask = port.pause_mask;
    changes = v.pause_change + port.pause_first + static_cast<u64>(pfc_index) * (mask + 1);
  }
};

HEDDLE_FN u32 queue_of(const View& v, const CutFifo& fifo) { return fifo.link * v.settings.classes + fifo.index; }
HEDDLE_FN u32 pause_account_of(const View& v, const CutFifo& fifo) {
  return fifo.link * v.settings.pfc_classes + fifo.index;
}

/// Position up to which this part has produced a FIFO.
HEDDLE_FN u32 produced(const View& v, const CutFifo& fifo, u32 parity) {
  return fifo.pauses ? v.pause_tail[parity][pause_account_of(v, fifo)] : v.queue[queue_of(v, fifo)].sent;
}

/// Reads a FIFO from a position on, word by word.
class CutReader {
 public:
  HEDDLE_FN CutReader(const View& v, const CutFifo& fifo, u32 position)
      : v_(v), pauses_(fifo.pauses != 0), position_(position), ring_(v, fifo.link, fifo.pauses ? fifo.index : 0) {
    if (!pauses_) queue_ = v.queue[queue_of(v, fifo)].ring;
  }
  HEDDLE_FN u64 word(u32 i) const {
    if (pauses_) return ring_.changes[(position_ + i) & ring_.mask];
    const u32 entry = queue_.at(position_ + i / 3);
    if (i % 3 == 2) return static_cast<u64>(v_.pool.time_ps[entry]);
    const Packet& packet = v_.pool.packet[entry];
    return i % 3 == 0 ? static_cast<u64>(packet.w0) << 32 | packet.w1 : static_cast<u64>(packet.w2) << 32 | packet.w3;
  }
  /// When the first item takes effect; later items do not take effect before it.
  HEDDLE_FN TimePs first_ps() const { return static_cast<TimePs>(pauses_ ? word(0) >> 1 : word(2)); }

 private:
  const View& v_;
  bool pauses_;
  u32 position_;
  PauseRing ring_;
  Ring queue_;
};

}  // namespace heddle
