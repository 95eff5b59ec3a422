// Collectives in closed form: which slices exist, their lengths, and the k-th operation of a channel end (MODEL.md, 9.1
// to 9.3; collective.hpp).
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
/// Number of operations of a channel end in a collective.
u64 operations(const Collective& collective, const ChannelEnd& channel_end, const SliceSchedule& schedule);
/// The k-th operation of a channel end.
Operation operation(const CollectivePlan& plan, const Collective& collective, const ChannelEnd& channel_end, u64 k);
/// The slice schedule of a connection in a collective of its group.
const SliceSchedule& schedule_on(const CollectivePlan& plan, const Collective& collective, u32 connection);
/// The slice schedule that all connections of a channel end share.
const SliceSchedule& schedule_of_channel_end(const CollectivePlan& plan, const Collective& collective,
                                             const ChannelEnd& channel_end);

/// The job and the group of a connection.
struct Place {
  u32 job = 0, group = 0;
};
Place place_of(const CollectivePlan& plan, u32 connection);

/// Number, over all collectives of its group, of a connection's first slice in the job's collective at `position`.
u64 first_slice_of(const CollectivePlan& plan, u32 job, std::size_t position, u32 connection);

/// The end of the slices that a connection may admit during the job's collective at `position`: the end of that
/// collective, or of the eager ones of the same protocol and slots that follow it in the group.
u64 end_of_admission(const CollectivePlan& plan, u32 job, std::size_t position, u32 connection);

struct SliceOfCollective {
  const Collective* collective = nullptr;
  u64 bytes = 0;
};
/// The slice of a connection with this number over all collectives of its group.
SliceOfCollective slice_of_connection(const CollectivePlan& plan, u32 connection, u64 slice);

struct SlicePart {
  u32 qp = 0;  // index among the connection's QPs
  u64 bytes = 0;
};
/// How a slice is spread over the QPs of its connection: when split, each QP has a part, even an empty one.
std::vector<SlicePart> parts_of_slice(QpScaling scaling, u32 qps, u64 slice, u64 bytes);

/// Returns the connections of a channel end in one direction.
std::vector<u32> connections_of(const Peers& peers);

}  // namespace heddle::oracle
