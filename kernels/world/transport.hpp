// RoCE transport as plain settings and tables (MODEL.md, 8).
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// The traffic class of collectives (kernels/world/fabric_parameters.hpp: lossless).
inline constexpr u8 kCollectiveClass = 1;
/// The class whose packets may take detours, and the one in which they go on (MODEL.md, 7.11).
inline constexpr u8 kDetouredClass = 1, kDetourClass = 3;
/// The most ports of a switch where packets take detours.
inline constexpr u32 kMaxDetourPorts = 1u << 11;

/// The most outstanding packets of a QP with which 24-bit PSNs are unambiguous: a PSN in flight is less than 2^23 from
/// the one that either end expects (IB specification: half of the PSN space).
inline constexpr u32 kPsnWindowPackets = (1u << 23) - 1;

/// How the two ends of a queue pair recover a missing packet (MODEL.md, 8.3 and 8.5).
enum class Recovery : u8 { go_back_n = 0, selective_repeat = 1 };

/// A deadline `wait_ps` after `since_ps`; kNever for a wait of 0.
HEDDLE_FN constexpr TimePs deadline_ps(TimePs since_ps, TimePs wait_ps) {
  return wait_ps == 0 ? kNever : since_ps + wait_ps;
}

/// The timeout that NCCL_IB_TIMEOUT = `exponent` requests from a NIC (IB specification: Local ACK Timeout).
constexpr TimePs nccl_timeout_ps(u32 exponent) { return TimePs{4'096'000} << exponent; }

/// Maximum numbers of consecutive low timeouts of a QP (MODEL.md, 8.4) and of doublings of the wait.
inline constexpr u32 kMaxLowTimeouts = 200, kMaxLowDoublings = 4;
/// Upper bound of a round-trip sample.
inline constexpr TimePs kMaxRoundTripPs = 1'000'000'000'000;

/// By which port of a NIC with several a queue pair sends (MODEL.md, 8.10).
enum class PortChoice : u8 { per_qp = 0, per_packet = 1 };

/// The port at which a queue pair of a NIC with several begins: the sum of the digits of its number, written in base
/// `ports`. So neighbours are at different ports, and so are the first queue pairs of connections, however many each
/// has.
HEDDLE_FN constexpr u32 home_port(u32 sender_number, u32 ports) {
  u32 sum = 0;
  for (u32 left = ports == 1 ? 0 : sender_number; left != 0; left /= ports) sum += left % ports;
  return sum % ports;
}

struct RoceSettings {
  u32 mtu_bytes = 4096;                // payload of a full packet
  u32 data_overhead_wire_bytes = 102;  // headers + gap of a data packet over IPv6
  u32 reth_bytes = 16;                 // more on the first packet of a message (RDMA WRITE)
  u32 ack_wire_bytes = 106;            // ACK and NAK
  u32 cnp_wire_bytes = 118;
  u32 cts_wire_bytes = 182;
  u32 ack_every = 16;      // in-order packets per ACK
  u32 window_packets = 0;  // outstanding packets of a QP, 0 = kPsnWindowPackets
  TimePs posting_delay_ps = 0;
  TimePs proxy_latency_ps = 1'000'000;  // CTS and completion polling by the host's proxy
  TimePs proxy_service_ps = 0;          // what the proxy takes for each CTS created and slice posted
  TimePs rto_ps = nccl_timeout_ps(20);  // 0: no retransmission timer
  u32 rto_tries = 7;
  TimePs rto_low_ps = 100'000'000;  // of selective repeat; 0: none
  bool ack_at_drain = false;        // a slow NIC answers when drained instead of at receipt
  bool ack_high_priority = true;    // ACK, NAK and CNP in class 0; else in the class of the data they answer
  bool cts_high_priority = true;    // CTSs and their answers in class 0; else in the class of their QP's data
  PortChoice port_choice = PortChoice::per_qp;
  Recovery recovery = Recovery::go_back_n;
  u32 reorder_window_packets = 1024;  // of selective repeat: a power of two
  u32 reorder_distance_packets = 64;  // of selective repeat: less than the window

  HEDDLE_FN bool selective() const { return recovery == Recovery::selective_repeat; }

  /// Selective repeat requests a missing packet when a packet arrives that is reorder_distance_packets higher, and
  /// again when one arrives that is this much higher; 0: no second request, because the window ends before.
  HEDDLE_FN u32 second_distance_packets() const {
    const u32 half = reorder_window_packets / 2;
    return reorder_distance_packets < half ? reorder_distance_packets + half : 0;
  }
};

inline constexpr u32 kMinReorderWindowPackets = 64;
inline constexpr u32 kMaxReorderWindowPackets = 65536;

/// Describes what is wrong with the combination of the two settings of selective repeat; empty if nothing.
inline const char* problem_of_reordering(const RoceSettings& roce) {
  const u32 window = roce.reorder_window_packets, distance = roce.reorder_distance_packets;
  if (window < kMinReorderWindowPackets || window > kMaxReorderWindowPackets || (window & (window - 1)) != 0)
    return "roce.reorder_window_packets must be a power of two from 64 to 65536: receivers keep a bit for each packet";
  if (distance == 0 || distance >= window)
    return "roce.reorder_distance_packets must be at least 1 and less than roce.reorder_window_packets: no packet "
           "comes "
           "further ahead of a missing one, so a loss would only be noticed by a timeout";
  return "";
}

/// Maximum number of packets of a queue pair in flight.
inline u32 window_of(const RoceSettings& roce) {
  const u32 window = roce.window_packets == 0 ? kPsnWindowPackets : roce.window_packets;
  return roce.selective() ? std::min(window, roce.reorder_window_packets) : window;
}

/// Bytes of window bitmaps that selective repeat adds to a sending end; to a receiving end, with the highest PSN seen.
inline u64 sender_window_bytes(const RoceSettings& roce) {
  return roce.selective() ? roce.reorder_window_packets / 8 : 0;
}
inline u64 receiver_window_bytes(const RoceSettings& roce) {
  return roce.selective() ? 2 * roce.reorder_window_packets / 8 + sizeof(u32) : 0;
}

/// Largest wire size of a packet of any kind.
inline u32 largest_wire_bytes(const RoceSettings& roce) {
  return std::max({roce.mtu_bytes + roce.data_overhead_wire_bytes + roce.reth_bytes, roce.ack_wire_bytes,
                   roce.cnp_wire_bytes, roce.cts_wire_bytes});
}

/// A NIC that drains what it receives slower than its line; it pauses its switch port when its buffer fills.
struct SlowReceiver {
  EndpointId endpoint = kNone;
  u32 drain_ps_per_byte_q16 = 0;
};

/// One direction of data between two endpoints. Qp i is the sender's number i - first_qp(src).
struct Qp {
  EndpointId src = kNone, dst = kNone;
  u16 sender_number = 0;        // number among the senders of src, to which ACK, NAK, CNP and CTS are addressed
  u16 receiver_number = 0;      // number among the receivers of dst, to which data and answers to CTSs are addressed
  u16 source_port_entropy = 0;  // 12 bits; UDP source port = 0xC000 | entropy, both directions
  u8 traffic_class = 1;
  u32 data_path = kNone, control_path = kNone;  // index in Routing::path_first for explicit routing
  u32 connection = kNone;                       // index in CollectivePlan::connections, or kNone: explicit messages
  u32 scaling_index = 0;                        // index among the connection's QPs
};

/// An explicit message. Messages of a QP are sent in order of the table: one that has not been posted holds back those
/// behind it.
struct Message {
  QpId qp = kNone;
  u64 bytes = 0;       // at least 1
  TimePs post_ps = 0;  // eligible from post_ps + posting delay; post_ps includes the jitter
  // The number of its Traffic::waits that have to end, from when post_ps counts; 0: it counts from the start of the
  // run. A message that a batch posts (ProgramPlan) has 1, and no Traffic::waits.
  u32 waits_for = 0;
};

/// Message `waiting` waits until `awaited` is received by the waiting message's source, or acknowledged to it.
struct MessageWait {
  MessageId awaited = 0;
  bool received = false;
  MessageId waiting = 0;
};

/// What a client asks of one server, or of several at once, and the answers that it awaits. Results are by requests; to
/// the simulation they are messages that wait for others.
struct Request {
  u32 generator = 0;                          // of the configuration; kNone: a job's
  u32 first = 0, questions = 0, answers = 0;  // in Traffic::of_requests: messages to servers, then those to the client
  u32 job = kNone;                            // that asks for data to train on
};

struct Traffic {
  std::vector<Qp> qps;             // ordered by (src, sender_number), without all-to-alls in closed form
  std::vector<Message> messages;   // ordered by (qp, position in the QP)
  std::vector<MessageWait> waits;  // ordered by (awaited, received, waiting)
  std::vector<Request> requests;   // by generator, then by client, in the order in which it asks
  std::vector<MessageId> of_requests;
  std::vector<SlowReceiver> slow_receivers;
  bool source_port_per_qp = false;  // otherwise all QPs of a pair share one
};

}  // namespace heddle
