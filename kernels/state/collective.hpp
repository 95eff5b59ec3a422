// State of the collective scheduler at the GPUs (MODEL.md, 9).
#pragma once

#include "kernels/base/types.hpp"
#include "kernels/state/fifo.hpp"
#include "kernels/state/program.hpp"
#include "kernels/state/transport.hpp"
#include "kernels/world/collective.hpp"

namespace heddle {

/// Most slots. A slice's bit and its entry of parts_left are its number mod kMaxSlots, for any number of slots.
inline constexpr u32 kMaxSlots = 8;

/// A collective, for channel ends.
struct CollectiveStep {
  TimePs start_ps = 0, launch_latency_ps = 0;
  SliceSchedule schedule;  // of all its connections, unless connections_per_schedule is set
  u32 first_schedule = 0;  // in Collectives::schedule: of the first connections_per_schedule connections, and so on
  u32 connections_per_schedule = 0;  // 0: `schedule` holds for all
  u32 phases = 1, slices_full = 1, slices_tail = 1;
  u32 full_loops = 0;  // for channel ends with one phase: all of schedule.total is one "loop" per slice
  u32 id = 0;          // World number
  u32 group = 0;       // number among the groups of its job
  u32 window = 0;      // point to point: channel ends of a direction at once, 0: all
  u32 slots = 8;
  Protocol protocol = Protocol::simple;
  u8 ahead = 0;                     // slices of the collectives behind it that are admitted as soon as slots are free
  bool composed = false;            // no channel ends: the program decides when it is finished
  u32 channel_ps_per_byte_q16 = 0;  // the least time of a copy; 0: no bound
};

/// A connection. Its queue pairs are consecutive at both ends.
struct ConnectionPlan {
  u32 first_sender = 0;    // number of its first QP at the sender's NIC
  u32 first_receiver = 0;  // its number at the receiver's NIC
  u32 qps = 0;
  u32 link = kNone;  // NVLink number, kNone: network
  u32 send_end = kNone,
      recv_end = kNone;      // in Collectives::send and ::recv; their channel ends: Collectives::channel_end_of
  u32 place = 0;             // in its group
  u32 first_joined = kNone;  // by the server's switch: this many connections share an end
  u16 joined = 1;
  InSwitch in_switch = InSwitch::nothing;
  bool split = false;
  u8 slices_per_cts = 1;
};

// Channel ends and the ends of their connections are all zero until they are used for the first time.

/// The sender's end of a connection. Slices count over all collectives of the group, below 2^31.
struct SendState {
  u32 step = 0;                   // the collective that its channel end was last active in: index in Collectives::step
  u32 filled = 0;                 // slices copied into their slots: the channel end sends slice `filled` next
  u32 posted = 0;                 // over the network: slices that the proxy has been notified of
  u32 granted = 0;                // slices admitted by CTS or NVLink credit
  u32 base = 0;                   // the first slice of collective `step`
  u8 busy = 0;                    // bit per slot: waiting for its ACKs
  u8 early = 0;                   // bit per slot: its CTS was taken before that of slice `granted`
  u8 asked = 0;                   // bit per slot: a NAK has asked for its CTS
  u8 parts_left[kMaxSlots] = {};  // over the network: unacknowledged parts; in the switch: credits received
};

/// State of a connection's sending end, only when waits for CTSs are reported.
struct CtsWait {
  TimePs since_ps = 0;  // time since which posted slice `granted` has waited for its CTS
};

struct RecvState {
  u32 step = 0;
  u32 granted = 0, freed = 0;  // the channel end receives slice `freed` next
  u32 base = 0;                // the first slice of collective `step`
  u8 in = 0;                   // bit per slot: the slice has arrived and was noticed
  u8 parts_left[kMaxSlots] = {};
};

/// The CTSs of a receiving queue pair, numbered in the order of creation mod 2^32.
struct CtsStream {
  u32 una = 0, end = 0;  // the first unacknowledged CTS, and the next to be created
  TimePs last_progress_ps = 0;
  u8 tries = 0;
  u8 lows = 0;  // low timeouts since una advanced

  HEDDLE_FN bool awaits_ack() const { return una != end && tries != kFailed; }
};

/// State in the collective that the channel end was last active in.
struct ChannelEndState {
  u32 loop = 0, phase = 0;  // loop and phase of the next operation
  u8 slice = 0;
  bool active = false, copying = false, finished = false;
};

struct ChannelEndPlan {
  Peers recv, send;  // connections
  u32 member = kNone;
  bool relays = false;
};

/// The channel ends of one group at one member.
struct GroupChannelEnds {
  u32 first = 0, count = 0;
};

/// One job at one of its GPUs.
struct Member {
  u32 job = 0;
  u32 first_channel_end = 0, channel_ends = 0;  // channel ends of all groups
  u32 first_group = 0;                          // in Collectives::group_channel_ends
  u32 rank = 0;
  // state
  u32 current = 0;   // index in the job's list of collectives; == its length: all done
  u32 released = 0;  // number of collectives it may enter: all, or those that its GPU's program has reached
  bool entered = false, launched = false;
  TimePs launch_ps = 0;  // when the channel ends of the entered collective begin
  u32 channel_ends_finished = 0;
  u32 send_finished = 0, recv_finished = 0;  // point to point
  u32 send_active = 0, recv_active = 0;
  u32 send_cursor = 0, recv_cursor = 0;  // next channel end to visit when activating
  u32 busy_slots = 0;                    // send slots waiting for their ACKs
  // Composed collectives: the number entered, and the numbers that the program has waited for and ended.
  u32 composed_entered = 0, composed_awaited = 0, composed_ended = 0;
};

/// An all-to-all in closed form (collective.hpp).
struct PairsPlan {
  u32 ranks = 0;  // 0: the job's connections and channel ends are in tables
  u32 gpus_per_server = 1, channels = 0, qps = 0;
  bool split = false;
  u32 first_connection = 0;
  u32 first_rank = 0;                  // in Collectives::pair_gpu, pair_place and pair_rank
  u32 first_nvlink = 0;                // in Collectives::pair_nvlink
  u32 send_bytes = 0, recv_bytes = 0;  // bytes of state of a sending and a receiving channel end
};

struct JobPlan {
  u32 first_step = 0, steps = 0;  // in Collectives::step
  PairsPlan pairs;
};

/// One directed NVLink, message-level: two rings from its source to its destination.
struct NvlinkPlan {
  u32 src = kNone, dst = kNone;  // local endpoints
  u32 reverse = kNone;           // NVLink number of the other direction, kNone if unused
  u32 place = 0;                 // index among the incoming NVLinks of its destination
};

/// The bit of a queue in arrays of Collectives that have a bit for each queue.
struct NvlinkBit {
  u32 word;
  u64 mask;
};

/// Producer's side of one NVLink ring.
struct NvlinkQueue {
  Ring ring;
  u32 tail = 0;
};

/// Kinds of delayed work of a GPU.
enum Delay : u32 {
  // Work in FIFOs.
  kProxy,                   // posts, notices of ACKs, and CTSs, as the proxy comes to them
  kFlush,                   // notices of received slices, due flush_latency later still (simple)
  kArrival,                 // NVLink transfers being received
  kCopy,                    // copies in progress, in order of their ends, then of their starts
  kPost,                    // copied slices until they become visible: a FIFO for each of kPosts
  kFifos = kPost + kPosts,  // number of FIFOs
  // Other delays.
  kNvlink = kFifos,  // the first arrival by NVLink that others have published
  kCtsTimeout,       // no retransmission timeout of CTSs is due before
  kMemberStart,      // the collective stage visits the members, because a start is due
  kBatch,            // a batch is to be taken, or its GPU learns of its end
  kDelays
};

/// Reasons to run the collective stage: touched channel ends; ranks that may enter or finish.
inline constexpr u8 kChannelEnds = 1, kMembers = 2;

/// A GPU's servers and delayed work.
struct Gpu {
  TimePs due_ps[kDelays] = {kNever, kNever, kNever, kNever, kNever, kNever,
                            kNever, kNever, kNever, kNever, kNever, kNever};
  Fifo fifo[kFifos];
  TimePs copy_free_ps = 0, egress_free_ps = 0, ingress_free_ps = 0, proxy_free_ps = 0;
  u8 attention = 0;         // reasons to run the collective stage: kChannelEnds, kMembers
  u32 cts_outstanding = 0;  // receiving queue pairs with unacknowledged CTSs

  /// The earliest due time of all delays.
  HEDDLE_FN TimePs first_due_ps() const {
    TimePs first = due_ps[0];
    for (u32 d = 1; d < kDelays; ++d) first = due_ps[d] < first ? due_ps[d] : first;
    return first;
  }
};
static_assert(kDelays == 12, "Gpu::due_ps begins with as many kNever");

struct Collectives {
  u32 jobs = 0;
  bool any_pairs = false;     // some jobs are in closed form
  bool charge_pairs = false;  // memory of their channel ends is charged to the memory for packets
  u32 copy_ps_per_byte_q16 = 0, copy_computing_ps_per_byte_q16 = 0;
  u32 nvlink_ps_per_byte_q16 = 0, nvls_ps_per_byte_q16 = 0;
  u32 peers_log2 =
      0;  // ends of a channel end in either direction: 1, or room for kMaxPeers when any channel end has several
  TimePs nvlink_latency_ps = 0, flush_latency_ps = 0;
  TimePs post_latency_ps[kPosts] = {};
  Gpu* gpu = nullptr;                 // [endpoints], only with collectives
  const u32* first_member = nullptr;  // [endpoints + 1]
  Member* member = nullptr;
  const JobPlan* job = nullptr;
  const CollectiveStep* step = nullptr;
  const SliceSchedule* schedule = nullptr;  // of collectives with several schedules
  CollectiveOutcome* log = nullptr;         // [collectives]
  const GroupChannelEnds* group_channel_ends = nullptr;
  const ChannelEndPlan* channel_end_plan = nullptr;  // of endpoints without all pairs
  const u32* first_channel_end_plan = nullptr;       // [endpoints + 1]
  ChannelEndState* channel_end = nullptr;
  SendState* send = nullptr;               // [channel ends << peers_log2] of outgoing connections
  CtsWait* cts_wait = nullptr;             // [channel ends << peers_log2] nullptr: waits for CTSs are not reported
  RecvState* recv = nullptr;               // [channel ends << peers_log2]
  CtsStream* cts = nullptr;                // [receiving queue pairs of all endpoints] all zero until used
  const u32* first_dirty_word = nullptr;   // [endpoints + 1]
  const u32* first_channel_end = nullptr;  // [endpoints + 1]
  u64* dirty = nullptr;  // a bit per touched channel end, then a bit per word of these bits that has any bit set
  const ConnectionPlan* connection = nullptr;  // of the tables
  // All-to-alls in closed form, by job and rank.
  const EndpointId* pair_gpu = nullptr;  // global
  const u32* pair_place = nullptr;       // number of ranks with a lower endpoint number
  const u32* pair_rank = nullptr;        // the inverse: the rank at this place
  const u32* pair_nvlink = nullptr;      // [rank * gpus_per_server + peer's number in the server]
  // NVLink
  const NvlinkPlan* nvlink = nullptr;
  const u32* first_incoming = nullptr;  // [endpoints + 1]
  const u32* incoming = nullptr;        // NVLink numbers by (destination, source GPU)
  NvlinkQueue* nvlink_queue = nullptr;  // [nvlinks * 2] 0 credits, 1 transfers
  struct NvlinkPublished {
    Ring ring;
    u32 tail = 0;
  } * nvlink_published[2] = {};  // [nvlinks * 2]
  u32* nvlink_head[2] = {};      // [nvlinks * 2]
  // Bits of the incoming queues of a GPU: 2 * place + (0 credits, 1 transfers).
  const u32* first_incoming_word = nullptr;  // [endpoints + 1]
  u64* nvlink_updates[2] = {};               // an item was put into the queue
  u64* nvlink_waiting = nullptr;             // the queue is not empty
  u64* nvlink_moved = nullptr;               // this GPU published to it, or its reverse queue, in the last tick

  Programs programs;

  /// Bit of the incoming queue `at` of GPU `e`.
  HEDDLE_FN NvlinkBit bit_of(u32 e, u32 at) const { return {first_incoming_word[e] + at / 64, u64{1} << (at % 64)}; }
  HEDDLE_FN u32 end_of(u32 l, u32 peer) const { return (l << peers_log2) + peer; }
  HEDDLE_FN u32 channel_end_of(u32 end) const { return end >> peers_log2; }
  HEDDLE_FN const SliceSchedule& schedule_of(const CollectiveStep& s, const ConnectionPlan& c) const {
    return s.connections_per_schedule == 0 ? s.schedule
                                           : schedule[s.first_schedule + c.place / s.connections_per_schedule];
  }
};

}  // namespace heddle
