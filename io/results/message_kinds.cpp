#include "io/results/message_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "io/results/goodput.hpp"
#include "io/results/layout.hpp"
#include "kernels/outcome/outcome.hpp"
#include "kernels/world/fabric_of.hpp"
#include "kernels/world/fabric_parameters.hpp"

namespace heddle {
namespace {

const std::string kGroup = "/summary/message_kind/";

std::map<MessageKind, u64> numbers_of_kinds(const World& world, const std::vector<MessageOwner>& owners) {
  std::map<MessageKind, u64> numbers;
  for (MessageId m = 0; m < owners.size(); ++m) ++numbers[kind_of(world, m, owners[m])];
  return numbers;
}

/// The purpose of each row; a file of an earlier version knows checkpoints alone.
std::vector<MessagePurpose> read_purposes(const InputFile& file, const std::vector<i64>& job) {
  std::vector<MessagePurpose> purposes;
  if (!file.has(kGroup + "purpose")) {
    for (const i64 of : job) purposes.push_back(of < 0 ? MessagePurpose::own : MessagePurpose::checkpoint);
    return purposes;
  }
  for (const u64 code : file.numbers(kGroup + "purpose")) purposes.push_back(static_cast<MessagePurpose>(code));
  return purposes;
}

}  // namespace

std::vector<MessageOwner> owners_of_messages(const World& world) {
  const ProgramPlan& plan = world.programs;
  const Traffic& traffic = world.traffic;
  std::vector<MessageOwner> owners(traffic.messages.size());
  for (const ProgramRun& run : plan.runs) {
    const i32 job = static_cast<i32>(plan.tasks[run.task].job);
    const BatchRange checkpoints = run.series(BatchSeries::checkpoints), loads = run.series(BatchSeries::loads);
    for (u32 k = 0; k < checkpoints.count; ++k) {
      const Batch& batch = plan.batches[checkpoints.first + k];
      for (u32 i = batch.first_awaited; i < batch.first_awaited + batch.awaited; ++i)
        owners[plan.awaited[i].message] = {MessagePurpose::checkpoint, job, static_cast<i32>(k)};
    }
    for (u32 k = 0; k < loads.count; ++k) {
      const Batch& batch = plan.batches[loads.first + k];
      for (u32 i = batch.first_awaited; i < batch.first_awaited + batch.awaited; ++i)
        owners[plan.awaited[i].message] = {MessagePurpose::data, job};
    }
  }
  for (const Request& request : traffic.requests) {
    const i32 job = request.job == kNone ? -1 : static_cast<i32>(request.job);
    for (u32 i = request.first; i < request.first + request.questions; ++i)
      owners[traffic.of_requests[i]] = {MessagePurpose::question, job};
  }
  if (world.routing.control.routes.empty()) return owners;
  for (const MessageId route : world.routing.control.routes) owners[route] = {MessagePurpose::route};
  for (const MessageWait& wait : traffic.waits) {
    if (owners[wait.waiting].purpose == MessagePurpose::route) owners[wait.awaited] = {MessagePurpose::report};
  }
  return owners;
}

std::string fabric_name(const Fabric& fabric, u32 number) {
  return number == 0 ? "gpus" : fabric.others[number - 1].name;
}

std::string fabric_names(const Fabric& fabric) {
  std::string names = fabric_name(fabric, 0);
  for (u32 number = 1; number <= fabric.others.size(); ++number) names += " " + fabric_name(fabric, number);
  return names;
}

std::string class_name(const MessageKind& kind) { return std::string(kClassNames[kind.traffic_class]); }

MessageKind kind_of(const World& world, MessageId message, const MessageOwner& owner) {
  const Qp& qp = world.traffic.qps[world.traffic.messages[message].qp];
  return {owner.job, owner.purpose, fabric_of_endpoint(world.fabric, qp.src), qp.traffic_class};
}

std::vector<MessageKindSummary> message_kinds(const World& world, const Outcome& outcome,
                                              const std::vector<MessageTime>& times) {
  const bool stalled = outcome.reason == EndReason::stalled;
  const std::vector<MessageOwner> owners = owners_of_messages(world);
  std::vector<MessageKindSummary> kinds;
  for (const auto& [kind, number] : numbers_of_kinds(world, owners)) {
    MessageKindSummary sum{
        .kind = kind, .fabric = fabric_name(world.fabric, kind.fabric), .traffic_class = class_name(kind)};
    sum.messages = number;
    std::vector<MessageTime> mine;
    mine.reserve(number);
    Goodput goodput;
    for (MessageId m = 0; m < times.size(); ++m) {
      if (kind_of(world, m, owners[m]) != kind) continue;
      mine.push_back(times[m]);
      goodput.add(times[m].posted_ps, times[m].finish_ps, outcome.messages[m].received_bytes);
    }
    sum.received_bytes = goodput.received_bytes();
    sum.goodput_bits_per_s = goodput.bits_per_s(outcome.end_ps, stalled);
    sum.times = message_times(mine, outcome);
    kinds.push_back(std::move(sum));
  }
  return kinds;
}

u64 count_message_kinds(const World& world) { return numbers_of_kinds(world, owners_of_messages(world)).size(); }

std::vector<MessageKindSummary> read_message_kinds(const InputFile& file) {
  if (!file.has("/summary/message_kind")) return {};
  const auto numbers = [&](const char* name) { return file.numbers(kGroup + name); };
  const std::vector<i64> job = file.signed_numbers(kGroup + "job"),
                         completion = file.signed_numbers(kGroup + "completion_ps");
  const std::vector<MessagePurpose> purpose = read_purposes(file, job);
  const std::vector<u64> fabric = numbers("fabric"), traffic_class = numbers("class"), messages = numbers("messages"),
                         received = numbers("received_bytes"), posted = numbers("posted"),
                         finished = numbers("finished"), at_least = numbers("completion_at_least"),
                         ideal_at_least = numbers("ideal_at_least");
  const std::vector<double> goodput = file.reals(kGroup + "goodput_bits_per_s"),
                            percent = file.reals(kGroup + "percent"), ideal = file.reals(kGroup + "times_the_ideal");
  const std::map<u64, std::string> fabrics = file.meanings(kGroup + "fabric"),
                                   classes = file.meanings(kGroup + "class");
  std::vector<MessageKindSummary> kinds;
  for (size_t i = 0; i < job.size(); ++i) {
    const MessageKind kind{static_cast<i32>(job[i]), purpose[i], static_cast<u32>(fabric[i]),
                           static_cast<u32>(traffic_class[i])};
    if (kinds.empty() || kinds.back().kind != kind) {
      kinds.push_back({.kind = kind, .fabric = fabrics.at(fabric[i]), .traffic_class = classes.at(traffic_class[i])});
      kinds.back().messages = messages[i];
      kinds.back().received_bytes = received[i];
      if (!std::isnan(goodput[i])) kinds.back().goodput_bits_per_s = goodput[i];
      kinds.back().times.posted = posted[i];
      kinds.back().times.finished = finished[i];
    }
    if (completion[i] < 0) continue;  // none was posted
    kinds.back().times.percentiles.push_back(
        {percent[i], completion[i], at_least[i] != 0, ideal[i], ideal_at_least[i] != 0});
  }
  return kinds;
}

bool told_apart(const std::vector<MessageKindSummary>& kinds) {
  return kinds.size() > 1 || !std::ranges::all_of(kinds, &MessageKindSummary::own);
}

std::string_view title_of(MessagePurpose purpose) {
  switch (purpose) {
    case MessagePurpose::own:
      return "own messages";
    case MessagePurpose::checkpoint:
      return "checkpoints";
    case MessagePurpose::data:
      return "data";
    case MessagePurpose::question:
      return "questions";
    case MessagePurpose::report:
      return "reports";
    case MessagePurpose::route:
      return "routes";
  }
  return "?";
}

std::string_view name_of(MessagePurpose purpose) { return layout::word(layout::kPurposes, static_cast<u32>(purpose)); }

std::string name_of(const MessageKindSummary& kind) {
  const std::string whose = kind.kind.job < 0 ? "" : fmt::format(" of job {}", kind.kind.job);
  return fmt::format("{}{}, {}, {}", title_of(kind.kind.purpose), whose, kind.fabric, kind.traffic_class);
}

}  // namespace heddle
