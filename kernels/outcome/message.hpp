// What a run says of an explicit message.
#pragma once

#include "kernels/outcome/columns.hpp"
#include "kernels/world/transport.hpp"

namespace heddle {

/// What its sender knows.
struct SentMessage {
  TimePs start_ps = -1;
  TimePs acked_ps = -1;
  u32 retransmitted_packets = 0;
  bool operator==(const SentMessage&) const = default;

  static constexpr auto columns() {
    using enum Join;
    return std::tuple{
        Column{"start_ps", "ps", "first packet departs, -1 never", one, &SentMessage::start_ps},
        Column{"acked_ps", "ps", "last acknowledgement at the sender, -1 never", one, &SentMessage::acked_ps},
        Column{"retransmitted_packets", "1", "packets sent again", one, &SentMessage::retransmitted_packets},
    };
  }
};

/// What its receiver knows.
struct ReceivedMessage {
  TimePs received_ps = -1;
  u32 ecn_marks = 0;
  u32 cnps = 0;
  bool operator==(const ReceivedMessage&) const = default;

  static constexpr auto columns() {
    using enum Join;
    using R = ReceivedMessage;
    return std::tuple{
        Column{"received_ps", "ps", "last byte at the receiver, -1 never", one, &R::received_ps},
        Column{"ecn_marks", "1", "marked packets that the receiver saw", one, &R::ecn_marks},
        Column{"cnps", "1", "congestion notification packets that the receiver sent", one, &R::cnps},
    };
  }
};

struct MessageOutcome : SentMessage, ReceivedMessage {
  u64 received_bytes = 0;
  TimePs posted_ps = -1;  // of one that waited for others; -1: it does not, or still
  bool operator==(const MessageOutcome&) const = default;

  static constexpr auto columns() {
    using enum Join;
    using M = MessageOutcome;
    return std::tuple_cat(
        SentMessage::columns(), ReceivedMessage::columns(),
        std::tuple{Column{"received_bytes", "B", "payload that was received in order until the end of the run", one,
                          &M::received_bytes},
                   Column{"posted_ps", "ps", "posted to the NIC, -1: it still waits for others", one, &M::posted_ps}});
  }
};
static_assert(lists_all<SentMessage>() && lists_all<ReceivedMessage>() && lists_all<MessageOutcome>());

/// When it was posted: as the World says, or when what it waited for was done; -1: it still waits.
inline TimePs posted_ps(const Message& message, const MessageOutcome& outcome) {
  return message.waits_for == 0 ? message.post_ps : outcome.posted_ps;
}

}  // namespace heddle
