// Delivers a neighbour's message into the state that ticks read, by one team between two ticks.
#pragma once

#include "kernels/boundary/words.hpp"
#include "kernels/fabric/queue.hpp"

namespace heddle {

/// Whether the heads of a message of `size` words from neighbour `n` fit its FIFOs; if so, `offset` is where the
/// contents of each FIFO begin, behind the heads.
template <class Team>
HEDDLE_FN bool heads_fit(const Team& team, const View& v, u32 n, const u64* words, u64 size, u32* offset,
                         u32& misfits) {
  const CutFifo* fifo = v.boundary.in + v.boundary.first_in[n];
  const u32 fifos = v.boundary.first_in[n + 1] - v.boundary.first_in[n];
  const u64 heads = words[0];
  if (heads == 0 || heads > fifos || heads >= size) return false;
  const u64* head = words + 1;
  team.each(static_cast<u32>(heads), [&](u32 i) {
    const u64 k = head[i] >> 32, count = head[i] & 0xffffffff;
    const bool in_order = i == 0 || head[i - 1] >> 32 < k;
    const bool fits = k < fifos && in_order && count != 0 && count * fifo[k].words_each() < size;
    offset[i] = fits ? static_cast<u32>(count * fifo[k].words_each()) : 0;
    if (!fits) team.add(misfits, 1u);
  });
  const u32 payload = team.scan(offset, static_cast<u32>(heads));
  return misfits == 0 && 1 + heads + payload == size;
}

/// Appends the contents of a message to a FIFO item by item, then publishes them.
class CutWriter {
 public:
  HEDDLE_FN CutWriter(const View& v, const CutFifo& fifo)
      : v_(v), fifo_(fifo), ring_(v, fifo.link, fifo.pauses ? fifo.index : 0) {}

  HEDDLE_FN void make_room(u32 count, u32 parity) const {
    if (fifo_.pauses) return;  // pause rings are large enough for all changes in flight
    const u32 q = queue_of(v_, fifo_);
    heddle::make_room(v_, q, v_.queue[q], count, parity);
  }

  HEDDLE_FN void put(u32 i, u64 word) const {
    if (fifo_.pauses) {
      ring_.changes[(v_.pause_tail[0][pause_account_of(v_, fifo_)] + i) & ring_.mask] = word;
      return;
    }
    const Queue& queue = v_.queue[queue_of(v_, fifo_)];
    const u32 entry = queue.ring.at(queue.tail + i / 3);
    Packet& packet = v_.pool.packet[entry];
    const u32 high = static_cast<u32>(word >> 32), low = static_cast<u32>(word);
    if (i % 3 == 2) {
      v_.pool.time_ps[entry] = static_cast<TimePs>(word);
    } else if (i % 3 == 0) {
      packet.w0 = high;
      packet.w1 = low;
    } else {
      packet.w2 = high;
      packet.w3 = low;
    }
  }

  /// Publishes the `count` items at `words`, which have been put.
  HEDDLE_FN void publish(const u64* words, u32 count, u32 parity) const {
    if (fifo_.pauses) {
      const u32 a = pause_account_of(v_, fifo_);
      v_.pause_tail[0][a] += count;
      v_.pause_tail[1][a] = v_.pause_tail[0][a];
      const u32 node = v_.link_node[fifo_.link];
      wake(v_, node, fifo_.link - v_.first_link[node], parity, static_cast<TimePs>(words[0] >> 1));
      return;
    }
    const u32 q = queue_of(v_, fifo_);
    Queue& queue = v_.queue[q];
    queue.tail += count;
    queue.sent = queue.tail;
    for (u32 p = 0; p < 2; ++p) v_.published[p][q] = Published{queue.ring, queue.sent};
    const Egress& egress = v_.egress[fifo_.link];
    wake(v_, egress.dst_node, egress.dst_port, parity, static_cast<TimePs>(words[2]));  // items of a link stay in order
  }

 private:
  const View& v_;
  const CutFifo& fifo_;
  PauseRing ring_;
};

/// Takes the message that neighbour `n` has collected for this part; `parity` is that of the next tick. Counts in
/// `misfits` (0 before the call) the items that the neighbour cannot have sent; then it takes nothing.
template <class Team>
HEDDLE_FN void deliver(const Team& team, const View& v, u32 n, u32 parity, const u64* words, u64 size, u32& misfits) {
  if (size == 0) return;
  const CutFifo* fifo = v.boundary.in + v.boundary.first_in[n];
  u32* offset = v.boundary.in_words + v.boundary.first_in[n] + n;
  if (!heads_fit(team, v, n, words, size, offset, misfits)) {
    team.each(1, [&](u32) { team.add(misfits, 1u); });
    return;
  }
  const u32 heads = static_cast<u32>(words[0]);
  const u64* head = words + 1;
  const u64* body = head + heads;
  const auto fifo_of = [&](u32 i) -> const CutFifo& { return fifo[head[i] >> 32]; };
  team.each(heads, [&](u32 i) { CutWriter(v, fifo_of(i)).make_room(static_cast<u32>(head[i]), parity); });
  team.items(
      offset, heads, [&](u32 i) { return CutWriter(v, fifo_of(i)); },
      [&](const CutWriter& to, u32 j, u32 at) { to.put(j, body[at]); });
  team.each(heads,
            [&](u32 i) { CutWriter(v, fifo_of(i)).publish(body + offset[i], static_cast<u32>(head[i]), parity); });
}

}  // namespace heddle
