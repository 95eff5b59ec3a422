// The sending end of a QP: messages cut into packets, retransmissions, pacing (MODEL.md, 8.1 to 8.4 and 8.7).
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "kernels/world/world.hpp"
#include "tests/oracle/congestion/controls.hpp"
#include "tests/oracle/packet.hpp"

namespace heddle::oracle {

class Sender {
 public:
  /// `line_bps`: what it may send at most.
  Sender(const World& world, QpId qp, u64 line_bps);

  /// Appends a message, which may start at `available`; `tag` is a message id or the number of a slice.
  void append(u64 bytes, u64 tag, TimePs available);

  /// When the next packet may be sent, in the present state; kNever: nothing to send, or the window is closed.
  TimePs ready_at() const;
  /// Wire bytes of the packet that would be sent next.
  u32 next_wire_bytes() const;
  struct Start {
    Packet packet;
    bool retransmission = false;
  };
  /// Sends the next packet at `t` by a port of the NIC.
  Start start(TimePs t, u32 port = 0);

  /// Handles an ACK or NAK; returns the tags of the messages that it acknowledges in full.
  std::vector<u64> acknowledge(const Packet& packet, TimePs t);
  void cnp(TimePs t);
  TimePs rto_deadline() const;
  /// Deadline of the low timeout, with selective repeat.
  TimePs low_deadline() const;
  /// Rewinds. Returns false when the tries are used up: the sender has failed and stops.
  bool time_out(TimePs t);
  /// The low timeout: retransmits the first packet that is not acknowledged.
  void time_out_low(TimePs t);

 private:
  struct Message {
    u64 begin = 0, packets = 0;  // its PSNs are [begin, begin + packets)
    u64 bytes = 0, tag = 0;
    TimePs available_ps = 0;
  };
  const Message& message_of(u64 psn) const;
  u32 payload_bytes(const Message& message, u64 psn) const;
  u32 wire_bytes(u64 psn) const;
  /// The next PSN to send.
  u64 next_psn() const { return repeats_.empty() ? next_ : *repeats_.begin(); }

  const World& world_;
  QpId qp_;
  std::vector<Message> messages_;
  std::size_t first_unacked_ = 0;  // index in messages_
  u64 end_ = 0;                    // end of the PSNs of all messages
  u64 una_ = 0, next_ = 0, sent_end_ = 0;
  std::set<u64> repeats_;  // selective repeat: requested for retransmission
  TimePs last_progress_ps_ = 0;
  u32 tries_ = 0;
  bool failed_ = false;
  /// A packet whose round trip is measured.
  struct Timed {
    u64 psn = 0;
    TimePs start_ps = 0;
  };
  void measure_round_trip(TimePs t);
  std::optional<Timed> timed_;
  TimePs rtt_ps_ = 0, last_start_ps_ = 0, last_low_ps_ = 0;
  std::set<u64> recovery_;            // after an outage: PSNs that may still have to be retransmitted
  u32 lows_ = 0;                      // low timeouts since una advanced
  std::unique_ptr<Control> control_;  // nullptr: the QP is not paced
  TimePs paced_at_ps_ = 0;
};

}  // namespace heddle::oracle
