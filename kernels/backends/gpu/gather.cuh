// Fetches the queued packets of the device without the gaps between and in their rings: a kernel gathers them, and the
// host scatters the copy to the same entries of its own pool.
#pragma once

#include <algorithm>

#include "kernels/backends/gpu/copies.cuh"
#include "kernels/backends/gpu/device_wide.cuh"
#include "kernels/state/live_rings.hpp"
#include "kernels/team/algorithms.hpp"
#include "kernels/team/runs.hpp"

namespace heddle {

/// Writes item `first` + i of all rings to place i; ring r has the items below ends[r].
struct GatherEntry {
  LiveRings rings;
  const u32* ends;
  u32 first;
  Packet* packets;
  TimePs* times_ps;

  HEDDLE_FN void operator()(u32 i) const {
    const u32 k = first + i, r = run_of_item(ends, rings.numbers.all(), k);
    const u32 entry = rings(r).entry(r == 0 ? k : k - ends[r - 1]);
    packets[i] = rings.view->pool.packet[entry];
    times_ps[i] = rings.view->pool.time_ps[entry];
  }
};

class QueuedPackets {
 public:
  /// `device` points to the View in device memory; `links` includes ghosts.
  QueuedPackets(const View* device, const View& host, u32 links, cudaStream_t stream)
      : device_(device),
        host_(host),
        numbers_(ring_numbers(host, links)),
        copies_(stream),
        policy_(device_wide(stream)) {}

  /// Copies in pieces of a few MB. All other arrays of the host must be current.
  void fetch(u32 parity) const {
    const LiveRings rings{device_, numbers_, parity};
    if (numbers_.all() == 0) return;
    const DeviceMemory ends(numbers_.all() * sizeof(u32));
    ends_over(policy_, numbers_.all(), LiveEntries{rings}, ends.get<u32>());
    u32 total = 0;
    copies_.download(&total, ends.get<u32>() + numbers_.all() - 1, sizeof(u32), "the number of queued packets");
    const u32 room = std::min(total, kPieceEntries);
    const DeviceMemory packets(room * sizeof(Packet)), times_ps(room * sizeof(TimePs));
    const PinnedMemory host_packets(room * sizeof(Packet)), host_times_ps(room * sizeof(TimePs));
    HostEntries to(host_, {&host_, numbers_, parity});
    for (u32 first = 0; first < total; first += room) {
      const u32 count = std::min(room, total - first);
      each_over(policy_, count,
                GatherEntry{rings, ends.get<u32>(), first, packets.get<Packet>(), times_ps.get<TimePs>()});
      copies_.download(host_packets.get(), packets.get(), count * sizeof(Packet), "queued packets");
      copies_.download(host_times_ps.get(), times_ps.get(), count * sizeof(TimePs), "times of queued packets");
      for (u32 i = 0; i < count; ++i) to.put(host_packets.get<Packet>()[i], host_times_ps.get<TimePs>()[i]);
    }
  }

 private:
  static constexpr u32 kPieceEntries = 1u << 18;

  /// The host's entries, one after the other.
  class HostEntries {
   public:
    HostEntries(const View& v, const LiveRings& rings) : pool_(v.pool), rings_(rings), ring_(rings(0)) {}
    void put(const Packet& packet, TimePs time_ps) {
      while (next_ == ring_.count) {
        ring_ = rings_(++number_);
        next_ = 0;
      }
      const u32 entry = ring_.entry(next_++);
      pool_.packet[entry] = packet;
      pool_.time_ps[entry] = time_ps;
    }

   private:
    const RingPool& pool_;
    LiveRings rings_;
    LiveRing ring_;
    u32 number_ = 0, next_ = 0;
  };

  const View* device_;
  const View& host_;
  RingNumbers numbers_;
  Copies copies_;
  DeviceWide policy_;
};

}  // namespace heddle
