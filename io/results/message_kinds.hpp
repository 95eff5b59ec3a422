// What tells explicit messages apart in reports: whose they are, which fabric carries them, and in which class.
// Checkpoints are no part of the messages that a workload sends for itself, so tables show them apart; `messages` as a
// whole has all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/results/input_file.hpp"
#include "io/results/summaries.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct Outcome;

/// The checkpoint of a training job that a message is a part of; -1: of none, as the workload sends it for itself.
struct MessageOwner {
  i32 job = -1, checkpoint = -1;
};
/// Returns one for each message of the World's.
std::vector<MessageOwner> owners_of_messages(const World& world);

/// "gpus", or "frontend"; and all names, separated by spaces.
std::string fabric_name(const Fabric& fabric, u32 number);
std::string fabric_names(const Fabric& fabric);

struct MessageKind {
  i32 job = -1;    // whose checkpoints; -1: of the workload itself
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

  bool of_checkpoints() const { return kind.job >= 0; }
};

/// `times`: times_of_messages() with ideals. By kind; the messages of the workload itself come first.
std::vector<MessageKindSummary> message_kinds(const World& world, const Outcome& outcome,
                                              const std::vector<MessageTime>& times);
/// Their number is known before the run.
u64 count_message_kinds(const World& world);

/// Returns the rows of /summary/message_kind; empty when there are no messages, or an earlier version wrote the file.
std::vector<MessageKindSummary> read_message_kinds(const InputFile& file);

/// Whether reports tell kinds apart: there are several, or one of checkpoints.
bool told_apart(const std::vector<MessageKindSummary>& kinds);
/// "checkpoints of job 0, frontend, best_effort", or "own messages, gpus, lossless".
std::string name_of(const MessageKindSummary& kind);

}  // namespace heddle
