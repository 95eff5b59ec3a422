// The messages of a queue pair: those of a table, or the slices of a connection in closed form.
#pragma once

#include "kernels/state/plain.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Bytes of slice i of a collective's stream.
HEDDLE_FN u32 slice_bytes(const SliceSchedule& schedule, u32 i) {
  if (i < schedule.full) return schedule.full_bytes;
  return schedule.tail_bytes[schedule.tail_period == 2 ? (i - schedule.full) & 1 : 0];
}

/// Bytes of part `index` of a slice that is split over `parts` queue pairs.
HEDDLE_FN u32 part_bytes(u32 bytes, u32 parts, u32 index) {
  const u32 part = (bytes + parts * 128 - 1) / (parts * 128) * 128;
  const u32 before = part * index;
  if (before >= bytes) return 0;
  return bytes - before < part ? bytes - before : part;
}

/// Number of messages of a slice; some may be empty.
HEDDLE_FN u32 parts_of(const ConnectionPlan& c) { return c.split ? c.qps : 1; }

/// The slice of message `ordinal` of the connection's queue pair `index`.
HEDDLE_FN u32 slice_of(const ConnectionPlan& c, u32 ordinal, u32 index) {
  return c.split ? ordinal : ordinal * c.qps + index;
}

/// Bytes of message `ordinal` of queue pair `index` in a collective whose first slice is `base`.
HEDDLE_FN u32 stream_bytes(const ConnectionPlan& c, const SliceSchedule& schedule, u32 base, u32 ordinal, u32 index) {
  const u32 bytes = slice_bytes(schedule, slice_of(c, ordinal, index) - base);
  return c.split ? part_bytes(bytes, c.qps, index) : bytes;
}

/// Whether a queue pair is a TCP connection, `tcp` being its plan's.
template <class Team>
HEDDLE_FN bool goes_by_tcp(const Settings& s, u32 tcp) {
  return any_tcp<Team>(s) && tcp != kNone;
}

/// Payload of a full packet of a queue pair.
template <class Team>
HEDDLE_FN u32 payload_of(const Settings& s, u32 tcp) {
  return goes_by_tcp<Team>(s, tcp) ? s.tcp.segment_bytes : s.roce.mtu_bytes;
}

/// Packets of a message; an empty message has one packet.
HEDDLE_FN u32 packets_of(u32 payload_bytes, u64 bytes) {
  return bytes == 0 ? 1 : static_cast<u32>((bytes + payload_bytes - 1) / payload_bytes);
}

/// Bytes that an operation on a slice moves inside a server: at least one vector of 16 B, because an empty operation
/// also takes time.
HEDDLE_FN u32 moved_bytes(u32 slice_bytes) { return slice_bytes < 16 ? 16 : slice_bytes; }

}  // namespace heddle
