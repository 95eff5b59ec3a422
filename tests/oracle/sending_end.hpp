// What an endpoint asks of the sending end of a QP, whatever its transport.
#pragma once

#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/base/units.hpp"
#include "tests/oracle/packet.hpp"

namespace heddle::oracle {

class SendingEnd {
 public:
  virtual ~SendingEnd() = default;

  /// Appends a message, which may start at `available`; `tag` is a message id or the number of a slice. kNever: it has
  /// not been posted.
  virtual void append(u64 bytes, u64 tag, TimePs available) = 0;
  /// A message that has been appended is posted, and may start at `available`.
  virtual void post(u64 tag, TimePs available) = 0;

  /// When the next packet may be sent, in the present state; kNever: nothing to send, or the window is closed.
  virtual TimePs ready_at() const = 0;
  /// Wire bytes of the packet that would be sent next.
  virtual u32 next_wire_bytes() const = 0;
  struct Start {
    Packet packet;
    bool retransmission = false;
  };
  /// Sends the next packet at `t` by a port of the NIC.
  virtual Start start(TimePs t, u32 port = 0) = 0;

  /// Handles an ACK or NAK; returns the tags of the messages that it acknowledges in full.
  virtual std::vector<u64> acknowledge(const Packet& packet, TimePs t) = 0;
  /// Handles a CNP; only RoCE has them.
  virtual void cnp(TimePs /*t*/) {}

  /// The window and the threshold of TCP, in segments: cwnd << 32 | ssthresh; 0 of other transports.
  virtual u64 window() const { return 0; }
  /// Whether this QP is looked at first again for the next start, and not the one behind it.
  virtual bool keeps_turn() const { return false; }

  virtual TimePs rto_deadline() const = 0;
  /// Handles the RTO. Returns false when the tries are used up: the sender has failed and stops.
  virtual bool time_out(TimePs t) = 0;
  /// The low timeout of selective repeat, or the reordering timer of TCP.
  virtual TimePs low_deadline() const { return kNever; }
  virtual void time_out_low(TimePs /*t*/) {}
};

}  // namespace heddle::oracle
