// What tells explicit messages apart in reports: what they are for, which fabric carries them, and in which class.
// Checkpoints and data of training jobs, questions of requests, and what a controller is told and tells are apart from
// what a workload sends for itself: tables show percentiles of each; `messages` as a whole has all.
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

/// A workload's own messages, answers to the requests of generators among them; a part of a training job's checkpoints;
/// an answer with data that it trains on; a question to a server, of a job or a generator; what a server reports to a
/// controller; routes to a switch. layout::kPurposes has names of these.
enum class MessagePurpose : u8 { own, checkpoint, data, question, report, route };

/// What a message is sent for: for which training job, and which of its checkpoints; -1: none. There may be millions of
/// these.
struct MessageOwner {
  MessagePurpose purpose = MessagePurpose::own;
  i32 job = -1, checkpoint = -1;
};
/// Returns one for each message of the World's.
std::vector<MessageOwner> owners_of_messages(const World& world);

/// "gpus", or "frontend"; and all names, separated by spaces.
std::string fabric_name(const Fabric& fabric, u32 number);
std::string fabric_names(const Fabric& fabric);

struct MessageKind {
  i32 job = -1;  // whose checkpoints, data or questions; -1: of no job
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
/// "own messages", "checkpoints", "questions" and so on; the same as a column names it: "own", "checkpoint".
std::string_view title_of(MessagePurpose purpose);
std::string_view name_of(MessagePurpose purpose);
/// "checkpoints of job 0, frontend, best_effort", or "own messages, gpus, lossless".
std::string name_of(const MessageKindSummary& kind);

}  // namespace heddle
