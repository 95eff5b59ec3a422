// What tells explicit messages apart in reports: what they are for, which fabric carries them, and in which class.
// Checkpoints and data of training jobs are no part of the messages that a workload sends for itself, so tables show
// them apart; `messages` as a whole has all.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/results/input_file.hpp"
#include "io/results/summaries.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct Outcome;

/// The workload sends messages for itself, or they are a part of a training job's checkpoints, or of its data: the
/// requests and the answers. layout::kPurposes has names of these.
enum class MessagePurpose : u8 { own, checkpoint, data };

/// The training job that a message is sent for, and its checkpoint; -1: none. There may be millions of these.
struct MessageOwner {
  i32 job = -1, checkpoint = -1;

  MessagePurpose purpose() const {
    if (job < 0) return MessagePurpose::own;
    return checkpoint < 0 ? MessagePurpose::data : MessagePurpose::checkpoint;
  }
};
/// Returns one for each message of the World's.
std::vector<MessageOwner> owners_of_messages(const World& world);

/// "gpus", or "frontend"; and all names, separated by spaces.
std::string fabric_name(const Fabric& fabric, u32 number);
std::string fabric_names(const Fabric& fabric);

struct MessageKind {
  i32 job = -1;  // whose checkpoints or data; -1: of the workload itself
  MessagePurpose purpose = MessagePurpose::own;
  u32 fabric = 0;  // fabric_of_endpoint()
  u32 traffic_class = 0;
  auto operator<=>(const MessageKind&) const = default;
};
std::string class_name(const MessageKind& kind);
MessageKind kind_of(const World& world, MessageId message, const MessageOwner& owner);

/// What became of the messages of one kind.
struct MessageKindSummary {
  MessageKind kind;
  std::string fabric, traffic_class;  // names
  u64 messages = 0, received_bytes = 0;
  std::optional<double> goodput_bits_per_s = {};  // first posting to last completion, pauses included
  MessageTimes times = {};

  bool own() const { return kind.purpose == MessagePurpose::own; }
};

/// `times`: times_of_messages() with ideals. By kind; the messages of the workload itself come first.
std::vector<MessageKindSummary> message_kinds(const World& world, const Outcome& outcome,
                                              const std::vector<MessageTime>& times);
/// Their number is known before the run.
u64 count_message_kinds(const World& world);

/// Returns the rows of /summary/message_kind; empty when there are no messages, or an earlier version wrote the file.
std::vector<MessageKindSummary> read_message_kinds(const InputFile& file);

/// Whether reports tell kinds apart: there are several, or one that is not the workload's own.
bool told_apart(const std::vector<MessageKindSummary>& kinds);
/// "checkpoints", "data" or "own messages"; the same as a column names it: "own", "checkpoint" or "data".
std::string_view title_of(MessagePurpose purpose);
std::string_view name_of(MessagePurpose purpose);
/// "checkpoints of job 0, frontend, best_effort", or "own messages, gpus, lossless".
std::string name_of(const MessageKindSummary& kind);

}  // namespace heddle
