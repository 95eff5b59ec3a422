// Conversion of messages and connections to queue pairs, numbered as the model requires.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/scenario/workload/options.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// The source of a message, for errors: "message[3]", "generator[0]", "flow.txt:17:1".
struct Origin {
  const char* section = "message";
  u32 index = 0;               // index of the section, or line of the file
  std::string_view file = {};  // a flow file; empty: a section of the configuration
};

/// Collects everything that needs QPs, then fills world.traffic and the first_qp of connections.
class TrafficBuilder {
 public:
  TrafficBuilder(const WorkloadOptions& options, World& world);

  /// Reserves room for so many messages, or for as many as the limit allows.
  void reserve(u64 messages);

  /// The endpoints that a message of the configuration names, in the fabric that it names. Throws ConfigError.
  std::pair<EndpointId, EndpointId> ends_of(const MessageOptions& message, Origin origin) const;
  /// Adds a message and returns its number. Throws ConfigError: endpoints out of range, src == dst, no bytes, negative
  /// time, too many messages.
  u32 add_message(EndpointId src, EndpointId dst, u64 bytes, TimePs post_ps, u8 traffic_class, Origin origin);

  /// Makes message `waiting` wait for those that `options` name, as numbers of a list of `count` messages whose first
  /// one is number `first`. Throws ConfigError for numbers outside of the list, or given twice, and for messages whose
  /// end the sender of the waiting one does not see.
  void add_waits(u32 waiting, const MessageOptions& options, u32 first, u64 count, Origin origin);

  /// Makes message `waiting` wait for all these: until its sender knows that they are acknowledged, or `received`.
  void post_behind(u32 waiting, const std::vector<u32>& awaited, bool received, Origin origin);
  /// A batch of a program posts this message. Batches of ProgramPlan name messages by the numbers that add_message()
  /// has returned, until finish().
  void let_program_post(u32 message);

  /// A number for connections that stand: messages that use() it share, for each source, destination and class, queue
  /// pairs that no other message has, and are sent in the order in which they were added.
  u32 add_connections() { return connections_++; }
  void use(u32 connections, u32 message) { messages_[message].connections = connections; }

  struct Exchange {
    u32 question, answer;  // message numbers
  };
  /// Adds a question of `client` that is posted at `post_ps`, or so long after what it is made to wait for, and the
  /// answer of `server`, which is posted `service_ps` after the question was received; both on `connections`. Throws
  /// ConfigError as add_message().
  Exchange add_exchange(EndpointId client, EndpointId server, u64 question_bytes, u64 answer_bytes, TimePs post_ps,
                        TimePs service_ps, u8 traffic_class, u32 connections, Origin origin);

  /// Notes that these messages are a request of `request`'s generator or job: `questions` to servers, and `answers` to
  /// their client.
  void add_request(Request request, const std::vector<u32>& questions, const std::vector<u32>& answers);

  /// How many there are so far.
  u64 messages() const { return messages_.size(); }
  u64 waits() const { return waits_.size(); }
  /// How many of those from number `first` on go by TCP.
  u64 tcp_messages(u64 first) const;

  /// Adds `count` consecutive QPs for a connection of the plan.
  void add_connection(u32 connection, EndpointId src, EndpointId dst, u32 count);

  /// [endpoint] whether it sends or receives a message of those added so far.
  std::vector<bool> with_messages() const;

  /// Number of the class called `name`. Throws ConfigError when the fabric has none.
  u8 class_number(const std::string& name, Origin origin) const;

  /// Orders QPs by source and messages by QP and time, adds jitter and source ports. Throws ConfigError when an
  /// endpoint has more QPs than a packet can name, and for messages that wait for each other in a circle.
  void finish();

 private:
  struct PendingMessage {
    EndpointId src, dst;
    u64 bytes;
    TimePs post_ps;
    u32 qp;
    u8 traffic_class;
    u32 number;  // in order of addition
    u32 waits_for = 0;
    bool by_program = false;  // a batch posts it
    u32 connections = kNone;  // kNone: none that stand
  };

  void add_wait(u32 awaited, bool received, u32 waiting, Origin origin);
  void check_circles() const;
  void assign_qps();
  void order_qps();
  void number_qps();
  void order_messages();
  void renumber(const std::vector<MessageId>& final_number) const;
  TimePs jitter_ps(EndpointId src, u8 traffic_class, MessageId id) const;

  const WorkloadOptions options_;
  World& world_;
  std::vector<PendingMessage> messages_;
  u32 connections_ = 0;
  std::vector<MessageWait> waits_;  // by message number
  std::vector<Origin> waiting_;     // [waits_] origin, for errors
  std::vector<Qp> qps_;             // in the order of addition
  std::vector<QpId> ordered_;       // [index in qps_] -> number in the World
};

}  // namespace heddle
