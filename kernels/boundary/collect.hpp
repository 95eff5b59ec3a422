// Collects what a part has caused for a neighbour into a message of words, by one team between two ticks.
#pragma once

#include "kernels/boundary/words.hpp"

namespace heddle {

/// The message for one neighbour.
struct Parcel {
  u64* words = nullptr;
  u64 capacity = 0;
  u64 size = 0;              // in words; when above the capacity, nothing was collected
  TimePs first_ps = kNever;  // the earliest time at which any of it takes effect
};

/// Collects all that was caused for neighbour `n` since the last call. `parity` is that of the next tick.
template <class Team>
HEDDLE_FN void collect(const Team& team, const View& v, u32 n, u32 parity, Parcel& parcel) {
  const Boundary& b = v.boundary;
  const u32 first = b.first_out[n], fifos = b.first_out[n + 1] - first;
  const CutFifo* fifo = b.out + first;
  u32* shipped = b.shipped + first;
  u32* words = b.out_words + first + n;
  u32* records = b.out_records + first + n;
  team.each(fifos, [&](u32 k) {
    const u32 count = produced(v, fifo[k], parity) - shipped[k];
    words[k] = count * fifo[k].words_each();
    records[k] = count != 0;
  });
  const u32 payload = team.scan(words, fifos), heads = team.scan(records, fifos);
  const u64 size = heads == 0 ? 0 : u64{1} + heads + payload;
  team.each(1, [&](u32) {
    parcel.size = size;
    parcel.first_ps = kNever;
  });
  if (heads == 0 || size > parcel.capacity) return;
  u64* head = parcel.words + 1;
  u64* body = head + heads;
  team.items(
      words, fifos, [&](u32 k) { return CutReader(v, fifo[k], shipped[k]); },
      [&](const CutReader& from, u32 j, u32 at) { body[at] = from.word(j); });
  team.each(fifos, [&](u32 k) {
    if (k == 0) parcel.words[0] = heads;
    const u32 count = (words[k + 1] - words[k]) / fifo[k].words_each();
    if (count == 0) return;
    head[records[k]] = static_cast<u64>(k) << 32 | count;
    global_min(parcel.first_ps, CutReader(v, fifo[k], shipped[k]).first_ps());
    shipped[k] += count;
  });
}

}  // namespace heddle
