// What a queue pair carries: the messages of a table, or the slices of a connection in closed form.
#pragma once

#include "kernels/state/view.hpp"

namespace heddle {

/// Bytes of slice i of a collective's stream.
HEDDLE_FN u32 slice_bytes(const SliceLaw& law, u32 i) {
  if (i < law.full) return law.full_bytes;
  return law.tail_bytes[law.tail_period == 2 ? (i - law.full) & 1 : 0];
}

/// Bytes of part `index` of a slice that is split over `parts` queue pairs.
HEDDLE_FN u32 part_bytes(u32 bytes, u32 parts, u32 index) {
  const u32 part = (bytes + parts * 128 - 1) / (parts * 128) * 128;
  const u32 before = part * index;
  if (before >= bytes) return 0;
  return bytes - before < part ? bytes - before : part;
}

/// Number of parts of a slice that are not empty.
HEDDLE_FN u32 parts_of(const ConnectionPlan& c, u32 bytes) {
  if (!c.split) return 1;
  const u32 part = (bytes + c.qps * 128 - 1) / (c.qps * 128) * 128;
  return (bytes + part - 1) / part;
}

/// The slice that message `ordinal` of the connection's queue pair `index` belongs to.
HEDDLE_FN u32 slice_of(const ConnectionPlan& c, u32 ordinal, u32 index) {
  return c.split ? ordinal : ordinal * c.qps + index;
}

/// Bytes that message `ordinal` of queue pair `index` carries in a collective.
HEDDLE_FN u32 stream_bytes(const ConnectionPlan& c, const CollectiveStep& step, u32 ordinal, u32 index) {
  const u32 slice = slice_of(c, ordinal, index);
  if (static_cast<i32>(slice - step.base) < 0) return 0;  // an empty part left over from the collective before
  const u32 bytes = slice_bytes(step.law, slice - step.base);
  return c.split ? part_bytes(bytes, c.qps, index) : bytes;
}

HEDDLE_FN u32 packets_of(const Settings& s, u64 bytes) {
  return static_cast<u32>((bytes + s.roce.mtu_bytes - 1) / s.roce.mtu_bytes);
}

}  // namespace heddle
