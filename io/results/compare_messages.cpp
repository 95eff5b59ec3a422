#include "io/results/compare_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "io/results/compare_row.hpp"

namespace heddle {
namespace {

using Runs = std::span<const RunSummary>;

/// What rows show of the messages of a run.
struct Shared {
  u64 messages = 0, finished = 0;
  const MessageTimes* times = nullptr;       // null: an earlier version wrote the file
  std::optional<u64> received_bytes;         // likewise
  std::optional<double> goodput_bits_per_s;  // absent where it is not known
};
using Get = std::function<std::optional<Shared>(const RunSummary&)>;

void add_percentile(Runs runs, const Get& get, const std::string& name, double percent, TextTable& table) {
  add_row(table, name, runs, [&](const RunSummary& run) {
    const std::optional<Shared> of = get(run);
    const MessagePercentile* p = of && of->times != nullptr ? of->times->find(percent) : nullptr;
    if (p == nullptr) return Shown{};
    // A lower bound is no base of a ratio, and has none.
    return Shown{at_least(human_time(p->completion_ps), p->completion_at_least),
                 p->completion_at_least ? -1.0 : static_cast<double>(p->completion_ps)};
  });
}

/// `name`, `indent`: of the first row, and before the others.
void add_rows(Runs runs, const Get& get, const std::string& name, const std::string& indent, TextTable& table) {
  add_row(table, name + " finished", runs, [&](const RunSummary& run) {
    const std::optional<Shared> of = get(run);
    return of ? Shown{fmt::format("{} of {}", grouped(of->finished), grouped(of->messages))} : Shown{};
  });
  for (const auto& [percentile, percent] : kPercentiles)
    add_percentile(runs, get, fmt::format("{}completion {}", indent, percentile), percent, table);
  const auto knows = [&](const RunSummary& run) {
    const std::optional<Shared> of = get(run);
    return of && of->received_bytes;
  };
  if (std::ranges::none_of(runs, knows)) return;
  add_row(table, indent + "message bytes received", runs, [&](const RunSummary& run) {
    if (!knows(run)) return Shown{};
    const u64 bytes = *get(run)->received_bytes;
    return Shown{grouped(bytes), static_cast<double>(bytes)};
  });
  add_row(table, indent + "goodput", runs, [&](const RunSummary& run) {
    if (!knows(run)) return Shown{};
    const std::optional<double> rate = get(run)->goodput_bits_per_s;
    return rate ? shown_rate(*rate) : Shown{};
  });
}

std::optional<Shared> all_of(const RunSummary& run) {
  if (run.partial()) return std::nullopt;
  Shared of{run.messages.messages, run.messages.finished, nullptr, std::nullopt, run.messages.goodput_bits_per_s};
  if (run.summaries) of.times = &run.summaries->messages;
  if (run.messages.received_known && run.messages.messages != 0) of.received_bytes = run.messages.received_bytes;
  return of;
}

/// Kinds with the same name are compared. A job's checkpoints are, and its data, whatever carries them: that is what is
/// asked about.
struct Name {
  i32 job = -1;
  MessagePurpose purpose = MessagePurpose::own;
  std::string fabric, traffic_class;  // empty for what is a job's
  auto operator<=>(const Name&) const = default;
};

Name name_of_kind(const MessageKindSummary& kind) {
  if (kind.kind.job >= 0) return {kind.kind.job, kind.kind.purpose, "", ""};
  return {-1, kind.kind.purpose, kind.fabric, kind.traffic_class};
}

const MessageKindSummary* find_kind(const RunSummary& run, const Name& name) {
  const auto found = std::ranges::find_if(run.message_kinds,
                                          [&](const MessageKindSummary& kind) { return name_of_kind(kind) == name; });
  return found == run.message_kinds.end() ? nullptr : &*found;
}

void add_kind_rows(Runs runs, const Name& name, TextTable& table) {
  const Get get = [&](const RunSummary& run) -> std::optional<Shared> {
    const MessageKindSummary* kind = find_kind(run, name);
    if (kind == nullptr) return std::nullopt;
    return Shared{kind->messages, kind->times.finished, &kind->times, kind->received_bytes, kind->goodput_bits_per_s};
  };
  if (name.job < 0) {
    const std::string_view title = name.purpose == MessagePurpose::own ? "messages" : title_of(name.purpose);
    add_rows(runs, get, fmt::format("{}, {}, {}:", title, name.fabric, name.traffic_class), "  ", table);
    return;
  }
  add_rows(runs, get, fmt::format("messages of {}, job {}:", title_of(name.purpose), name.job), "  ", table);
  add_row(table, "  by, in class", runs, [&](const RunSummary& run) {
    const MessageKindSummary* kind = find_kind(run, name);
    return kind == nullptr ? Shown{} : Shown{fmt::format("{}, {}", kind->fabric, kind->traffic_class)};
  });
}

}  // namespace

void message_rows(Runs runs, TextTable& table) {
  if (std::ranges::all_of(runs, [](const RunSummary& run) { return run.messages.messages == 0; })) return;
  const auto tells_apart = [](const RunSummary& run) { return told_apart(run.message_kinds); };
  if (std::ranges::none_of(runs, tells_apart)) {
    add_rows(runs, all_of, "messages", "", table);
    return;
  }
  std::set<Name> names;
  for (const RunSummary& run : runs)
    for (const MessageKindSummary& kind : run.message_kinds) names.insert(name_of_kind(kind));
  for (const Name& name : names) add_kind_rows(runs, name, table);
}

}  // namespace heddle
