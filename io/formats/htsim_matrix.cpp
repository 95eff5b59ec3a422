// Reader of htsim's connection matrices.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "io/formats/htsim.hpp"
#include "io/formats/text.hpp"
#include "io/printable.hpp"

namespace heddle {
namespace {

constexpr u64 kMaxNodes = 1u << 24, kMaxFlows = 1u << 25, kMaxId = 0xffffffff, kMaxWaits = kMaxFlows;
constexpr std::string_view kFlow = "src->dst id I start T size B",
                           kTrigger = "trigger id T oneshot|multishot|barrier count N";

constexpr std::string_view kHeads[] = {"Nodes", "Connections", "Triggers"};

enum class TriggerKind : u8 { undescribed, oneshot, multishot, barrier };

struct Trigger {
  TriggerKind kind = TriggerKind::undescribed;
  u32 fires_at = 1;                            // of a barrier
  std::vector<std::pair<u32, bool>> fired_by;  // flow, and whether by its reception
  std::vector<std::pair<u32, Field>> begins;   // flow, and where it says so
};

class MatrixReader {
 public:
  MatrixReader(const std::string& path, u32 first_flows, StartUnit unit)
      : file_(path), first_flows_(first_flows), unit_(unit) {}

  PlainMatrix read() {
    while (const TextLine* line = next()) {
      const std::string_view word = line->fields[0].text;
      if (std::ranges::find(kHeads, word) != std::end(kHeads)) {
        read_head(*line);
      } else if (word == "trigger") {
        read_trigger(*line);
      } else if (word.find("->") != word.npos) {
        made_.nodes = static_cast<u32>(head("Nodes", line->number));
        head("Connections", line->number);
        if (first_flows_ == 0 || made_.flows.size() < first_flows_) read_flow(*line);
      } else {
        file_.fail(line->fields[0], fmt::format("'{}' is not supported; lines are '{}' and '{}', and before them "
                                                "'Nodes N', 'Connections N' and 'Triggers N'",
                                                excerpt(word), kFlow, kTrigger));
      }
    }
    made_.nodes = static_cast<u32>(head("Nodes", file_.last_line() + 1));
    const auto triggers = heads_.find("Triggers");
    check_counts(head("Connections", file_.last_line() + 1), triggers == heads_.end() ? 0 : triggers->second);
    for (const auto& [id, trigger] : triggers_) set_waits(id, trigger);
    return std::move(made_);
  }

 private:
  /// Behind comments, which begin with #; null at the end.
  const TextLine* next() {
    while (!file_.at_end()) {
      line_ = file_.take("");
      if (!line_.text.starts_with('#')) return &line_;
    }
    return nullptr;
  }

  /// One of those that stand above the flows, in any order.
  void read_head(const TextLine& line) {
    const Field& name = line.fields[0];
    file_.expect_fields(line, fmt::format("{} N", name.text), 2);
    const bool nodes = name.text == "Nodes", connections = name.text == "Connections";
    const u64 least = nodes ? 2 : connections ? 1 : 0, most = nodes ? kMaxNodes : kMaxFlows;
    const u64 number = file_.number(line.fields[1], fmt::format("number behind {}", name.text), least, most);
    if (nodes) made_.nodes_line = line.number;
    if (!heads_.try_emplace(name.text, number).second)
      file_.fail(name, fmt::format("'{} N' is given twice; keep one", name.text));
    if (!made_.flows.empty())
      file_.fail(name, fmt::format("'{} N' stands behind flows; htsim reads it above them only", name.text));
  }

  /// `line`: the one above which it must stand.
  u64 head(std::string_view name, u32 line) const {
    const auto found = heads_.find(name);
    if (found == heads_.end())
      file_.fail(line, 1, fmt::format("a connection matrix of htsim has '{} N' above its flows; add it", name));
    return found->second;
  }

  /// As htsim reads it, a decimal number, but exactly: its programs cut what is finer than their unit.
  u64 start_ps(const Field& field) const {
    const u64 unit_ps = unit_ == StartUnit::us ? 1'000'000 : 1;
    const std::string_view unit = unit_ == StartUnit::us ? "us" : "ps";
    const Decimal start = parse_decimal(field.text, 0);
    if (start.error == DecimalError::none && start.value <= static_cast<u64>(kNever) / unit_ps)
      return start.value * unit_ps;
    if (start.error == DecimalError::too_fine) {
      file_.fail(field, fmt::format("start ({}) is '{}', finer than a {}; round it", unit, excerpt(field.text),
                                    unit_ == StartUnit::us ? "microsecond, and uet-htsim cuts it to whole ones"
                                                           : "picosecond"));
    }
    if (start.error == DecimalError::malformed)
      file_.fail(field, fmt::format("start ({}) is '{}', not a number without sign", unit, excerpt(field.text)));
    file_.fail(field, fmt::format("start ({}) is '{}', later than the longest run; begin the flow earlier", unit,
                                  excerpt(field.text)));
  }

  void read_flow(const TextLine& line) {
    const u32 number = static_cast<u32>(made_.flows.size());
    PlainFlow flow;
    flow.line = line.number;
    const Field& ends = line.fields[0];
    const size_t arrow = ends.text.find("->");
    const u64 last = made_.nodes - 1;
    flow.src = static_cast<u32>(file_.number({ends.text.substr(0, arrow), ends.line, ends.column}, "src", 0, last));
    const auto behind = static_cast<u32>(arrow + 2);
    flow.dst =
        static_cast<u32>(file_.number({ends.text.substr(behind), ends.line, ends.column + behind}, "dst", 0, last));
    if (flow.src == flow.dst) file_.fail(ends, fmt::format("flow from node {} to itself; remove it", flow.src));
    std::map<std::string_view, Field> values = values_of(line, 1);
    const auto value = [&](std::string_view key, std::string_view unit, u64 least, u64 most) -> std::optional<u64> {
      const auto found = values.find(key);
      if (found == values.end()) return std::nullopt;
      return file_.number(found->second, key, least, most, unit);
    };
    if (const auto id = value("id", "", 1, kMaxId); id && !ids_.insert(static_cast<u32>(*id)).second)
      file_.fail(values.at("id"), fmt::format("another flow has id {}, too; give each its own", *id));
    const auto size = value("size", "bytes", 0, kNever);
    std::optional<u64> start;
    if (const auto found = values.find("start"); found != values.end()) start = start_ps(found->second);
    if (!size) file_.fail(ends, "the flow has no size, so it would never end; add 'size BYTES'");
    if (*size == 0) {
      file_.fail(values.at("size"),
                 "size is 0, which htsim takes for a flow without end; give it more bytes than the run can send, and "
                 "end the run by simulation.horizon");
    }
    flow.bytes = *size;
    flow.start_ps = static_cast<i64>(start.value_or(0));
    if (const auto trigger = value("trigger", "", 1, kMaxId)) {
      if (start) file_.fail(values.at("start"), "the flow has a start time and a trigger that begins it; give one");
      triggers_[static_cast<u32>(*trigger)].begins.emplace_back(number, values.at("trigger"));
    } else if (!start) {
      file_.fail(ends, "the flow has neither a start time nor a trigger, so it would never begin; add 'start T'");
    }
    for (const bool received : {false, true}) {
      if (const auto fires = value(received ? "recv_done_trigger" : "send_done_trigger", "", 1, kMaxId))
        triggers_[static_cast<u32>(*fires)].fired_by.emplace_back(number, received);
    }
    made_.flows.push_back(flow);
    made_.waits.emplace_back();
  }

  /// Why a word that programs of htsim know has no counterpart.
  static std::string_view reason_of(std::string_view word) {
    if (word == "prio") return " (NDP's order in which a receiver pulls flows, and nothing to other programs)";
    if (word == "msg") return " (uet-htsim's messages of one connection; here every flow is a connection)";
    if (word == "addon") return " (csg-htsim's flow that grows when a trigger fires)";
    return "";
  }

  /// Words and the values behind them.
  std::map<std::string_view, Field> values_of(const TextLine& line, size_t from) const {
    constexpr std::string_view kWords[] = {"id", "start", "size", "trigger", "send_done_trigger", "recv_done_trigger"};
    std::map<std::string_view, Field> values;
    for (size_t i = from; i < line.fields.size(); i += 2) {
      const Field& word = line.fields[i];
      if (std::ranges::find(kWords, word.text) == std::end(kWords)) {
        file_.fail(word,
                   fmt::format("'{}' is not supported{}; a flow has id, start, size, trigger, send_done_trigger and "
                               "recv_done_trigger",
                               excerpt(word.text), reason_of(word.text)));
      }
      if (i + 1 == line.fields.size()) file_.fail(word, fmt::format("no value follows '{}'", word.text));
      if (!values.emplace(word.text, line.fields[i + 1]).second)
        file_.fail(word, fmt::format("'{}' is given twice", word.text));
    }
    return values;
  }

  /// Its words come in any order.
  void read_trigger(const TextLine& line) {
    const Field *id = nullptr, *kind = nullptr, *count = nullptr;
    for (size_t i = 1; i < line.fields.size(); ++i) {
      const Field& word = line.fields[i];
      const Field*& place = word.text == "id" ? id : word.text == "count" ? count : kind;
      if (place != nullptr)
        file_.fail(word, fmt::format("'{}' is one word too many; a line is '{}'", excerpt(word.text), kTrigger));
      if (&place != &kind && ++i == line.fields.size())
        file_.fail(word, fmt::format("no value follows '{}'", word.text));
      place = &line.fields[i];
    }
    if (id == nullptr || kind == nullptr)
      file_.fail(line.fields[0],
                 fmt::format("the trigger has no {}, as in '{}'", id == nullptr ? "id" : "kind", kTrigger));
    Trigger& trigger = triggers_[static_cast<u32>(file_.number(*id, "trigger id", 1, kMaxId))];
    if (trigger.kind != TriggerKind::undescribed)
      file_.fail(*id, fmt::format("trigger {} is described twice", id->text));
    ++described_;
    trigger.kind = kind_of(*kind);
    const bool barrier = trigger.kind == TriggerKind::barrier;
    if (barrier && count == nullptr) file_.fail(*kind, "how often must the barrier be fired? Add 'count N' behind it");
    if (!barrier && count != nullptr) file_.fail(*count, "only a barrier has a count; remove it");
    if (barrier) trigger.fires_at = static_cast<u32>(file_.number(*count, "count", 1, kMaxFlows));
  }

  TriggerKind kind_of(const Field& word) const {
    if (word.text == "oneshot") return TriggerKind::oneshot;
    if (word.text == "multishot") return TriggerKind::multishot;
    if (word.text == "barrier") return TriggerKind::barrier;
    file_.fail(word,
               fmt::format("'{}' is no kind of trigger; they are oneshot, multishot and barrier", excerpt(word.text)));
  }

  void check_counts(u64 flows, u64 triggers) const {
    const u64 wanted = first_flows_ != 0 ? first_flows_ : flows;
    if (made_.flows.size() != wanted) {
      file_.fail(file_.last_line(), 1,
                 fmt::format("{} {} flows, but the file has {}{}",
                             first_flows_ != 0 ? "workload.first_flows asks for" : "the file declares", wanted,
                             made_.flows.size(),
                             first_flows_ != 0
                                 ? ""
                                 : fmt::format("; set workload.first_flows = {} to run these", made_.flows.size())));
    }
    if (first_flows_ == 0 && described_ != triggers) {
      file_.fail(file_.last_line(), 1,
                 fmt::format("the file declares {} triggers, but describes {}", triggers, described_));
    }
  }

  void set_waits(u32 id, const Trigger& trigger) {
    if (trigger.kind == TriggerKind::undescribed && !trigger.begins.empty() &&
        (trigger.begins.size() != 1 || trigger.fired_by.size() > 1)) {
      file_.fail(trigger.begins[0].second,
                 fmt::format("no line describes trigger {}, which {} flows fire and which begins {}; add '{}'", id,
                             trigger.fired_by.size(), trigger.begins.size(), kTrigger));
    }
    named_ += u64{trigger.begins.size()} * trigger.fired_by.size();
    if (named_ > kMaxWaits) {
      file_.fail(trigger.begins[0].second,
                 fmt::format("trigger {}, which {} flows fire, begins {}; that is {} waits in all, and there may be {}",
                             id, trigger.fired_by.size(), trigger.begins.size(), named_, kMaxWaits));
    }
    u32 fired = trigger.fires_at;
    for (const auto& [flow, where] : trigger.begins) {
      if (fired > trigger.fired_by.size()) {
        file_.fail(where, fmt::format("the flow begins when trigger {} has been fired {} times, but {} flows fire it",
                                      id, fired, trigger.fired_by.size()));
      }
      PlainFlowWaits& waits = made_.waits[flow];
      waits.count = fired;
      for (const auto& [by, received] : trigger.fired_by) (received ? waits.received : waits.sent).push_back(by);
      if (trigger.kind == TriggerKind::multishot) ++fired;
    }
  }

  TextFile file_;
  TextLine line_;  // the one that is being read
  u32 first_flows_;
  StartUnit unit_;
  PlainMatrix made_;
  std::map<std::string_view, u64> heads_;  // what they declare
  std::map<u32, Trigger> triggers_;
  std::unordered_set<u32> ids_;  // of flows
  u64 described_ = 0;            // triggers
  u64 named_ = 0;                // flows in all waits
};

}  // namespace

PlainMatrix read_htsim_matrix(const std::string& path, u32 first_flows, StartUnit unit) {
  return MatrixReader(path, first_flows, unit).read();
}

}  // namespace heddle
