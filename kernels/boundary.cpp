#include "kernels/boundary.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/fabric/queue.hpp"

namespace heddle {
namespace {

/// A record: this word, then `count` packets of three words, or `count` pause changes of one.
///   link (position in Neighbour::out of the sender, or its Neighbour::in) 24 | pause 1 | class or pfc index 7 | count
///   32
constexpr u64 record_head(u64 link, bool pause, u64 index, u64 count) {
  return link << 40 | u64{pause} << 39 | index << 32 | count;
}
constexpr u32 kWordsPerPacket = 3;

}  // namespace

Boundary::Boundary(Model& model) : model_(model) {
  const Settings& s = model.view.settings;
  for (const Neighbour& n : model.neighbours) {
    packets_shipped_.emplace_back(n.out.size() * s.classes, 0);
    pauses_shipped_.emplace_back(n.in.size() * s.pfc_classes, 0);
  }
}

TimePs Boundary::collect(u32 n, u32 parity, std::vector<u64>& words) {
  TimePs first = kNever;
  const Settings& s = model_.view.settings;
  const Neighbour& neighbour = model_.neighbours[n];
  for (u32 i = 0; i < neighbour.out.size(); ++i) {
    for (u32 c = 0; c < s.classes; ++c) {
      u32& shipped = packets_shipped_[n][i * s.classes + c];
      const u32 count = model_.view.queue[neighbour.out[i] * s.classes + c].sent - shipped;
      if (count == 0) continue;
      words.push_back(record_head(i, false, c, count));
      first = std::min(first, collect_packets(neighbour.out[i], c, shipped, words));
    }
  }
  for (u32 i = 0; i < neighbour.in.size(); ++i) {
    for (u32 p = 0; p < s.pfc_classes; ++p) {
      u32& shipped = pauses_shipped_[n][i * s.pfc_classes + p];
      const u32 count = model_.view.pause_tail[parity][neighbour.in[i] * s.pfc_classes + p] - shipped;
      if (count == 0) continue;
      words.push_back(record_head(i, true, p, count));
      first = std::min(first, collect_pauses(neighbour.in[i], p, parity, shipped, words));
    }
  }
  return first;
}

TimePs Boundary::collect_packets(u32 out, u32 c, u32& shipped, std::vector<u64>& words) const {
  const View& v = model_.view;
  const Queue& queue = v.queue[out * v.settings.classes + c];
  const TimePs first = v.pool.time_ps[queue.ring.at(shipped)];  // a link keeps their order
  for (; shipped != queue.sent; ++shipped) {
    const u32 entry = queue.ring.at(shipped);
    const Packet& packet = v.pool.packet[entry];
    words.push_back(static_cast<u64>(packet.w0) << 32 | packet.w1);
    words.push_back(static_cast<u64>(packet.w2) << 32 | packet.w3);
    words.push_back(static_cast<u64>(v.pool.time_ps[entry]));
  }
  return first;
}

TimePs Boundary::collect_pauses(u32 in, u32 pfc, u32 parity, u32& shipped, std::vector<u64>& words) const {
  const View& v = model_.view;
  const IngressPort& port = v.ingress[v.egress[in].reverse];  // where this part keeps the account of that link
  const u64* changes = v.pause_change + port.pause_first + static_cast<u64>(pfc) * (port.pause_mask + 1);
  const u32 tail = v.pause_tail[parity][in * v.settings.pfc_classes + pfc];
  const TimePs first = static_cast<TimePs>(changes[shipped & port.pause_mask] >> 1);
  for (; shipped != tail; ++shipped) words.push_back(changes[shipped & port.pause_mask]);
  return first;
}

void Boundary::deliver(u32 n, u32 parity, std::span<const u64> words) {
  const Settings& s = model_.view.settings;
  const Neighbour& neighbour = model_.neighbours[n];
  while (!words.empty()) {
    const u64 link = words[0] >> 40, index = (words[0] >> 32) & 0x7f, count = words[0] & 0xffffffff;
    const bool pause = (words[0] >> 39) & 1;
    const std::vector<u32>& links = pause ? neighbour.out : neighbour.in;  // pauses come against the packets
    const u64 length = pause ? count : count * kWordsPerPacket;
    if (count == 0 || link >= links.size() || index >= (pause ? s.pfc_classes : s.classes) ||
        length > words.size() - 1) {
      throw std::runtime_error(
          "boundary: what came from rank " + std::to_string(neighbour.rank) +
          " does not fit the links between us; do all ranks run the same program and configuration?");
    }
    const std::span<const u64> payload = words.subspan(1, length);
    if (pause) {
      deliver_pauses(links[link], static_cast<u32>(index), parity, payload);
    } else {
      deliver_packets(links[link], static_cast<u32>(index), parity, payload);
    }
    words = words.subspan(1 + length);
  }
}

void Boundary::deliver_packets(u32 ghost, u32 c, u32 parity, std::span<const u64> words) {
  const View& v = model_.view;
  const u32 q = ghost * v.settings.classes + c;
  Queue& queue = v.queue[q];
  const u32 count = static_cast<u32>(words.size() / kWordsPerPacket);
  make_room(v, q, queue, count, parity);
  TimePs first = kNever;
  for (u32 i = 0; i < count; ++i) {
    const u64* word = &words[i * kWordsPerPacket];
    const u32 entry = queue.ring.at(queue.tail++);
    v.pool.packet[entry] = Packet{static_cast<u32>(word[0] >> 32), static_cast<u32>(word[0]),
                                  static_cast<u32>(word[1] >> 32), static_cast<u32>(word[1])};
    v.pool.time_ps[entry] = static_cast<TimePs>(word[2]);
    if (v.pool.time_ps[entry] < first) first = v.pool.time_ps[entry];
  }
  queue.sent = queue.tail;
  for (u32 p = 0; p < 2; ++p) v.published[p][q] = Published{queue.ring, queue.sent};
  wake(v, v.egress[ghost].dst_node, v.egress[ghost].dst_port, parity, first);
}

void Boundary::deliver_pauses(u32 out, u32 pfc, u32 parity, std::span<const u64> words) {
  const View& v = model_.view;
  const IngressPort& port = v.ingress[v.egress[out].reverse];
  u64* changes = v.pause_change + port.pause_first + static_cast<u64>(pfc) * (port.pause_mask + 1);
  const u32 a = out * v.settings.pfc_classes + pfc;
  const u32 node = v.link_node[out];
  for (u64 word : words) {
    changes[v.pause_tail[0][a] & port.pause_mask] = word;
    v.pause_tail[1][a] = ++v.pause_tail[0][a];
  }
  const TimePs first = static_cast<TimePs>(words[0] >> 1);
  wake(v, node, out - v.first_link[node], parity, first);
}

void Boundary::release(u32 parity, TimePs now_ps) {
  const View& v = model_.view;
  for (const Neighbour& neighbour : model_.neighbours) {
    for (u32 out : neighbour.out) {
      for (u32 c = 0; c < v.settings.classes; ++c) {
        const u32 q = out * v.settings.classes + c;
        u32 head = v.head[parity][q];
        while (head != v.queue[q].sent && v.pool.time_ps[v.queue[q].ring.at(head)] < now_ps) ++head;
        v.head[0][q] = v.head[1][q] = head;
      }
    }
  }
}

}  // namespace heddle
