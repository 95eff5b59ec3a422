// What the steps of a tick by ports hand to each other (ports/README.md). None of it is simulated state.
#pragma once

#include "kernels/base/atomic.hpp"
#include "kernels/base/units.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Arrivals of one egress queue that fit its bin in a tick on a GPU; the switch of a queue that gets more goes the
/// general way (ports/README.md).
inline constexpr u32 kBinPackets = 32;

/// Bits of Bins::status: a port has something to do; the switch goes the general way.
inline constexpr u32 kSwitchDue = 1, kSwitchGeneral = 2;

/// Arrays by link hold the links of switches; queue 2 * link + c is the egress queue of class c.
struct Bins {
  u32 packets = 0;          // that fit the bin of a queue
  u64* key = nullptr;       // [queues * packets] of arrivals: time in tick 28 | ingress port 12 | 0
  u32* source = nullptr;    // [queues * packets] their pool entries
  u32* count = nullptr;     // [queues] how many they are; 0 between ticks
  u32* bytes = nullptr;     // [queues] bytes that they hold; 0 between ticks
  u32* taken = nullptr;     // [queues] by port: packets that arrive by its wire; written for every due port
  u32* arrived = nullptr;   // [links] bytes charged to the account of a port; written for every due port
  u32* released = nullptr;  // [links] bytes that it gets back; 0 between ticks
  // by parity of the tick; 0 when a tick of this parity begins
  u64* arriving_bytes[2] = {};  // [pools] charged in this tick
  u32* status[2] = {};          // [switches]

  HEDDLE_FN bool present() const { return count != nullptr; }
  HEDDLE_FN u32 status_of(u32 node, u32 parity) const { return global_load(status[parity][node]); }
  HEDDLE_FN bool goes_general(u32 node, u32 parity) const { return (status_of(node, parity) & kSwitchGeneral) != 0; }
  /// Whether a switch has something to do, and need not go the general way.
  HEDDLE_FN bool goes_by_ports(u32 node, u32 parity) const { return status_of(node, parity) == kSwitchDue; }

  /// Forgets what ticks of a parity have found out about a switch.
  HEDDLE_FN void forget(const View& v, u32 node, u32 parity) const {
    global_store(status[parity][node], 0u);
    for (u32 p = v.first_pool[node]; p < v.first_pool[node + 1]; ++p) global_store(arriving_bytes[parity][p], u64{0});
  }
};

/// Sets up bins of so many packets for the switches of `v`: allocate(array, entries) sets a pointer to memory that is
/// 0.
template <class Allocate>
Bins make_bins(const View& v, u32 packets, const Allocate& allocate) {
  Bins bins;
  bins.packets = packets;
  const u64 links = v.first_link[v.switches], queues = links * kPlainClasses;
  allocate(bins.key, queues * packets);
  allocate(bins.source, queues * packets);
  for (u32** array : {&bins.count, &bins.bytes, &bins.taken}) allocate(*array, queues);
  for (u32** array : {&bins.arrived, &bins.released}) allocate(*array, links);
  for (u32 parity = 0; parity < 2; ++parity) {
    allocate(bins.arriving_bytes[parity], v.first_pool[v.switches]);
    allocate(bins.status[parity], v.switches);
  }
  return bins;
}

/// Whether the ticks of a run may go by ports: those of plain runs without queues that are limited by free memory.
inline bool may_go_by_ports(const Settings& s) { return is_plain_run(s) && s.dynamic_limit_mask == 0; }

/// The accounts of a switch in a tick by ports, of which none may pause: a port's account gets back what starts.
template <class Team>
class BinAccounts {
 public:
  HEDDLE_FN BinAccounts(const Team& team, const View& v, const Bins& bins, u32 node)
      : team_(team), v_(v), bins_(bins), first_link_(v.first_link[node]) {}

  HEDDLE_FN void release(const Packet& packet, TimePs, u32, u32 cell_bytes) const {
    const u32 in = first_link_ + packet.ingress_port();
    if (packet.traffic_class() != kPlainPfcClass || v_.ingress[in].profile == kNone) return;
    team_.add(bins_.released[in], held_bytes(packet.frame_bytes(), cell_bytes));
  }
  template <class Service>
  HEDDLE_FN void settle_best_effort(u32, const Service&) const {}

 private:
  const Team& team_;
  const View& v_;
  const Bins& bins_;
  const u32 first_link_;
};

}  // namespace heddle
