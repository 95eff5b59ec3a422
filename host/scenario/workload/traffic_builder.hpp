// Messages and connections into queue pairs, numbered as the model wants them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/scenario/workload/options.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Where a message comes from, for errors: "message[3]", "generator[0]", "flow.txt:17:1".
struct Origin {
  const char* section = "message";
  u32 index = 0;               // of the section; of a file its line
  std::string_view file = {};  // a flow file; empty: a section of the configuration
};

/// Collects everything that needs QPs, then fills world.traffic and the first_qp of connections.
class TrafficBuilder {
 public:
  TrafficBuilder(const WorkloadOptions& options, World& world);

  /// Room for so many messages, or as many as there may be.
  void reserve(u64 messages);

  /// Returns its number. Throws ConfigError: endpoints out of range, src == dst, no bytes, negative time, too many
  /// messages.
  u32 add_message(EndpointId src, EndpointId dst, u64 bytes, TimePs post_ps, u8 traffic_class, Origin origin);

  /// Lets message `waiting` wait for those that `options` name, as numbers of a list of `count` messages of which the
  /// first one is number `first`. Throws ConfigError for numbers that the list has not, or twice, and for messages of
  /// whose end the sender of the waiting one knows nothing.
  void add_waits(u32 waiting, const MessageOptions& options, u32 first, u64 count, Origin origin);

  /// `count` consecutive QPs for a connection of the plan.
  void add_connection(u32 connection, EndpointId src, EndpointId dst, u32 count);

  /// Whether endpoint e sends or receives a message of those added so far, by endpoint.
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
  };

  void add_wait(u32 awaited, bool received, u32 waiting, Origin origin);
  void check_circles() const;
  void assign_qps();
  void order_qps();
  void number_qps();
  void order_messages();
  TimePs jitter_ps(EndpointId src, MessageId id) const;

  const WorkloadOptions options_;
  World& world_;
  std::vector<PendingMessage> messages_;
  std::vector<MessageWait> waits_;  // by numbers
  std::vector<Origin> waiting_;     // [waits_] where it says so
  std::vector<Qp> qps_;             // as they were asked for
  std::vector<QpId> ordered_;       // [as asked for] -> number in the world
};

}  // namespace heddle
