// Prefetches the state that passes are about to read, for many ports or endpoints at a time. Where a fabric's state
// does not fit the caches, dependent reads take most of the time: from a port to the queue at the other end of its
// cable, then to the ring, the packet, and its queue pair. No result changes. The functions for passes are never
// inlined, so that they take no registers in passes without prefetch.
#pragma once

#include "kernels/base/bits.hpp"
#include "kernels/base/prefetch.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Maximum number of prefetched packets per wire: about the arrivals of a tick.
inline constexpr u32 kPrefetchedPackets = 12;

HEDDLE_FN void prefetch_entry(const RingPool& pool, u32 entry) {
  prefetch(pool.time_ps, entry);
  prefetch(pool.packet, entry);
}

/// Prefetches the state that the other end of the cable of egress `link` has published.
HEDDLE_FN void prefetch_published(const View& v, u32 link, u32 parity) {
  const u32 incoming = v.egress[link].reverse, q = incoming * v.settings.classes;
  prefetch(v.published[parity], q);
  prefetch(v.published[parity], q + v.settings.classes - 1);
  for (u32 p = 0; p < 2; ++p) {
    prefetch(v.head[p], q);
    prefetch(v.pause_tail[p], incoming * v.settings.pfc_classes);
  }
}

/// Calls f(packet entry) for every `stride`-th of the first packets on the wire into the port of egress `link`. `taken`
/// is the parity of the wire's read positions.
template <class F>
HEDDLE_FN void for_first_packets(const View& v, u32 link, u32 seen, u32 taken, u32 stride, const F& f) {
  const u32 q = v.egress[link].reverse * v.settings.classes;
  for (u32 c = 0; c < v.settings.classes; ++c) {
    const Published& p = v.published[seen][q + c];
    const u32 head = v.head[taken][q + c], there = p.sent - head;
    const u32 n = there < kPrefetchedPackets ? there : kPrefetchedPackets;
    for (u32 i = 0; i < n; i += stride) f(p.ring.at(head + i));
  }
}

HEDDLE_FN void prefetch_wire(const View& v, u32 link, u32 seen, u32 taken) {
  constexpr u32 kPacketsPerLine = 64 / sizeof(Packet);
  for_first_packets(v, link, seen, taken, kPacketsPerLine, [&](u32 entry) { prefetch_entry(v.pool, entry); });
}

/// Prefetches the first waiting packets of egress `link`, and the entries where arrivals will be written.
HEDDLE_FN void prefetch_queues(const View& v, u32 link) {
  for (u32 c = 0; c < v.settings.classes; ++c) {
    const Queue& queue = v.queue[link * v.settings.classes + c];
    if (queue.sent != queue.tail) prefetch_entry(v.pool, queue.ring.at(queue.sent));
    prefetch_entry(v.pool, queue.ring.at(queue.tail));
  }
}

/// Prefetches for ports whose bits are set in `words` words of updates; the first is word `first_word` of all.
HEDDLE_RARE_FN void prefetch_updates_of_ports(const View& v, u32 first_word, const u64* updates, u32 words,
                                              u32 parity) {
  const auto for_ports = [&](const auto& f) {
    for (u32 w = 0; w < words; ++w) {
      for (u64 left = updates[w]; left != 0; left &= left - 1) f(v.port_word_link[first_word + w] + lowest_bit(left));
    }
  };
  for_ports([&](u32 link) { prefetch_published(v, link, parity); });
  for_ports([&](u32 link) { prefetch_wire(v, link, parity, parity); });
}

/// Prefetches for the listed egress ports, counted from `first_link`.
HEDDLE_RARE_FN void prefetch_ports(const View& v, u32 first_link, const u32* list, u32 listed) {
  for (u32 y = 0; y < listed; ++y) prefetch_queues(v, first_link + list[y]);
}

/// Prefetches the end of the queue pair that a packet is for. For answers to CTSs, which are rare, it is the other end.
HEDDLE_FN void prefetch_queue_pair(const View& v, u32 endpoint, const Packet& packet) {
  const Endpoints& e = v.endpoint;
  const u32 n = packet.dst_qp();
  if (packet.kind() == PacketKind::data) {
    prefetch(e.receiver, e.first_receiver[endpoint] + n);
    prefetch(e.receiver_plan, e.first_receiver_plan[endpoint] + n);
  } else {
    prefetch(e.sender, e.first_sender[endpoint] + n);
    prefetch(e.sender_plan, e.first_sender_plan[endpoint] + n);
  }
}

/// Prefetches for the endpoints `first` + bit of a word of updates.
HEDDLE_RARE_FN void prefetch_updates_of_endpoints(const View& v, u32 first, u32 with_updates, u32 parity) {
  for (u32 left = with_updates; left != 0; left &= left - 1) {
    const u32 link = v.first_link[v.switches + first + lowest_bit(left)];
    for (u32 p = 0; p < v.settings.nic_ports; ++p) prefetch_published(v, link + p, parity);
  }
}

/// Prefetches for port `port` of the endpoints in [first, end) that have something to do before `to`.
HEDDLE_FN void prefetch_ports_of_endpoints(const View& v, u32 first, u32 end, u32 port, TimePs to, u32 parity) {
  const auto for_due = [&](const auto& f) {
    for (u32 e = first; e < end; ++e) {
      if (v.next_ps[v.switches + e] < to) f(e, v.first_link[v.switches + e] + port);
    }
  };
  for_due([&](u32 e, u32 link) {
    prefetch_published(v, link, parity);
    prefetch(v.endpoint.nic, e);
    prefetch(v.queue, link * v.settings.classes);
    prefetch(v.link_tally, link);
  });
  for_due([&](u32, u32 link) {
    prefetch_wire(v, link, parity, parity ^ 1);
    prefetch_queues(v, link);
  });
  for_due([&](u32 e, u32 link) {
    for_first_packets(v, link, parity, parity ^ 1, 1,
                      [&](u32 entry) { prefetch_queue_pair(v, e, v.pool.packet[entry]); });
  });
}

/// Prefetches for the endpoints in [first, end) that have something to do before `to`.
HEDDLE_RARE_FN void prefetch_endpoints(const View& v, u32 first, u32 end, TimePs to, u32 parity) {
  for (u32 port = 0; port < v.settings.nic_ports; ++port) prefetch_ports_of_endpoints(v, first, end, port, to, parity);
}

}  // namespace heddle
