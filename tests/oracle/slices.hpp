// Collectives in closed form: which slices exist, how long they are, what a channel end does as its k-th operation
// (MODEL.md, 9.1 to 9.3; collective.hpp).
#pragma once

#include <vector>

#include "kernels/world/collective.hpp"

namespace heddle::oracle {

/// One step of a channel end: receive a slice, send one, or both. The indices count the connection's slices of this
/// collective.
struct Operation {
  bool receives = false, sends = false;
  u64 recv_index = 0, send_index = 0;
};

u64 slice_bytes(const SliceSchedule& schedule, u64 index);
/// Operations of a channel end in a collective.
u64 operations(const Collective& collective, const SliceSchedule& schedule);
/// The k-th operation of a channel end.
Operation operation(const CollectivePlan& plan, const Collective& collective, const ChannelEnd& channel_end, u64 k);
/// What a connection carries in a collective of its group.
const SliceSchedule& schedule_on(const CollectivePlan& plan, const Collective& collective, u32 connection);
/// What the connections of a channel end carry, which are the same.
const SliceSchedule& schedule_of_channel_end(const CollectivePlan& plan, const Collective& collective,
                                             const ChannelEnd& channel_end);

/// Where a connection belongs.
struct Place {
  u32 job = 0, group = 0;
};
Place place_of(const CollectivePlan& plan, u32 connection);

/// Number, over all collectives of its group, of the first slice that a connection has in the job's collective at
/// `position`.
u64 first_slice_of(const CollectivePlan& plan, u32 job, std::size_t position, u32 connection);

/// How far slices of a connection may be admitted while the job's collective at `position` is worked on: to its end,
/// and to that of the eager ones of the same protocol and slots that are the next of the group.
u64 end_of_admission(const CollectivePlan& plan, u32 job, std::size_t position, u32 connection);

struct SliceOfCollective {
  const Collective* collective = nullptr;
  u64 bytes = 0;
};
/// The slice of a connection with this number over all collectives of its group.
SliceOfCollective slice_of_connection(const CollectivePlan& plan, u32 connection, u64 slice);

struct SlicePart {
  u32 qp = 0;  // which of the connection's QPs
  u64 bytes = 0;
};
/// How a slice is spread over the QPs of its connection: split, every one has a part, be it empty.
std::vector<SlicePart> parts_of_slice(QpScaling scaling, u32 qps, u64 slice, u64 bytes);

/// Those that a channel end has in one direction.
std::vector<u32> connections_of(const Peers& peers);

}  // namespace heddle::oracle
