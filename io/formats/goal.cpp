#include "io/formats/goal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "io/formats/goal_statements.hpp"
#include "io/formats/schedule.hpp"
#include "io/formats/text.hpp"
#include "io/printable.hpp"

namespace heddle {
namespace {

constexpr u64 kMaxRanks = 1 << 20;
constexpr u64 kMaxBytes = u64{1} << 46;  // of one message: 70 TB
constexpr u64 kMaxCalcNs = 17'000'000'000;
constexpr u64 kMaxProcessors = 4096;
constexpr u64 kMaxTag = ~u32{0} - 1;  // the last one is LogGOPSim's wildcard

enum class Kind : u8 { send, recv, calc };

struct Operation {
  Kind kind = Kind::calc;
  u64 size = 0;  // bytes, or nanoseconds
  u32 peer = 0, tag = 0, processor = 0;
};

/// Where an operation stands in the file.
struct Place {
  u32 line = 0, column = 0;
};

/// As it is read: schedules have millions of operations and of dependences, so both are flat.
struct Rank {
  std::vector<Operation> operations;
  std::vector<Place> places;                     // [operation]
  std::vector<std::pair<u32, u32>> dependences;  // an operation, and one that must be done before
};

/// A pair of ranks and a tag: source, destination, tag.
using Way = std::array<u32, 3>;

bool is_identifier(std::string_view word) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_more = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !word.empty() && is_letter(word[0]) && std::ranges::all_of(word, is_more);
}

class GoalReader {
 public:
  GoalReader(const std::string& path, u64 eager_bytes) : file_(path), statements_(file_), eager_bytes_(eager_bytes) {}

  Trace read() {
    const Words head = statements_.take("num_ranks N");
    if (head[0].text != "num_ranks") file_.fail(head[0], "a GOAL schedule begins with 'num_ranks N'");
    statements_.expect(head, "num_ranks N", 2);
    ranks_.resize(file_.number(head[1], "num_ranks", 1, kMaxRanks));
    std::vector<bool> seen(ranks_.size(), false);
    while (!statements_.at_end()) {
      const u32 rank = read_rank_head(seen);
      seen[rank] = true;
      read_rank(rank);
    }
    for (u32 rank = 0; rank < seen.size(); ++rank) {
      if (seen[rank]) continue;
      file_.fail(head[1], fmt::format("{} ranks are announced, but nothing is said of rank {}; write 'rank {} {{' "
                                      "and '}}' if it does nothing",
                                      seen.size(), rank, rank));
    }
    return scheduled();
  }

 private:
  using Words = GoalStatements::Words;

  u32 read_rank_head(const std::vector<bool>& seen) {
    const Words words = statements_.take("rank R {");
    if (words[0].text != "rank") file_.fail(words[0], "expected 'rank R {' here");
    statements_.expect(words, "rank R {", 3);
    if (words[2].text != "{") file_.fail(words[2], "expected '{' behind the rank");
    const auto rank = static_cast<u32>(file_.number(words[1], "rank", 0, ranks_.size() - 1));
    if (seen[rank]) file_.fail(words[1], fmt::format("rank {} is given twice", rank));
    return rank;
  }

  void read_rank(u32 rank) {
    labels_.clear();
    for (;;) {
      const Words words = statements_.take(fmt::format("}} at the end of rank {}", rank));
      if (words[0].text == "}") return;
      if (words.size() > 1 && (words[1].text == "requires" || words[1].text == "irequires")) {
        read_dependence(rank, words);
      } else {
        read_operation(rank, words);
      }
    }
  }

  void read_dependence(u32 rank, const Words& words) {
    if (words[1].text == "irequires") {
      file_.fail(words[1],
                 "irequires (after the other has begun) is not supported; only requires (after it is done) is");
    }
    statements_.expect(words, "LABEL requires LABEL", 3);
    ranks_[rank].dependences.emplace_back(label(words[0]), label(words[2]));
  }

  u32 label(const Field& field) const {
    const auto found = labels_.find(std::string(field.text));
    if (found == labels_.end())
      file_.fail(field, fmt::format("there is no operation '{}' above this line in this rank", excerpt(field.text)));
    return found->second;
  }

  /// [LABEL:] send SIZEb to RANK [tag TAG] [cpu N] [nic N], recv SIZEb from ..., calc NANOSECONDS [cpu N].
  void read_operation(u32 rank, const Words& words) {
    words_ = words;
    at_ = 0;
    if (words[0].text == ":") file_.fail(words[0], "a label is missing before ':'");
    if (words.size() > 1 && words[1].text == ":") add_label(rank);
    Operation op;
    const Field at = word("an operation");
    if (at.text == "calc") {
      op.size = file_.number(word("nanoseconds"), "calc", 0, kMaxCalcNs, "ns");
    } else if (at.text == "send" || at.text == "recv") {
      op.kind = at.text == "send" ? Kind::send : Kind::recv;
      op.size = bytes();
      const std::string_view way = op.kind == Kind::send ? "to" : "from";
      if (const Field& field = word("to or from"); field.text != way)
        file_.fail(field, fmt::format("expected '{}', found '{}'", way, excerpt(field.text)));
      const Field& peer = word("a rank");
      refuse_wildcard(peer);
      op.peer = static_cast<u32>(file_.number(peer, "rank", 0, ranks_.size() - 1));
      if (op.peer == rank) file_.fail(peer, "a rank cannot send to itself");
    } else {
      file_.fail(at, fmt::format("'{}' is no operation; send, recv and calc are", excerpt(at.text)));
    }
    read_keys(op);
    ranks_[rank].operations.push_back(op);
    ranks_[rank].places.push_back({at.line, at.column});
  }

  void add_label(u32 rank) {
    const Field& name = words_[0];
    at_ = 2;
    if (!is_identifier(name.text)) {
      file_.fail(name, fmt::format("'{}' is no label; it is a letter, then letters, digits and _", excerpt(name.text)));
    }
    if (!labels_.try_emplace(std::string(name.text), static_cast<u32>(ranks_[rank].operations.size())).second)
      file_.fail(name, fmt::format("the label '{}' is given twice in this rank", excerpt(name.text)));
  }

  /// The next word of the operation that is being read.
  const Field& word(const char* what) {
    if (at_ == words_.size()) file_.fail(words_[0].line, 1, fmt::format("the line ends where {} should follow", what));
    return words_[at_++];
  }

  void refuse_wildcard(const Field& field) const {
    if (field.text != "-1" && !field.text.starts_with("ANY")) return;
    file_.fail(field, fmt::format("'{}' is a wildcard, for any source or any tag, which is not supported; say which",
                                  excerpt(field.text)));
  }

  void read_keys(Operation& op) {
    std::vector<std::string_view> given;
    while (at_ < words_.size()) {
      const Field& key = word("a key");
      if (std::ranges::find(given, key.text) != given.end())
        file_.fail(key, fmt::format("{} is given twice for this operation", excerpt(key.text)));
      given.push_back(key.text);
      if (op.kind == Kind::calc && (key.text == "tag" || key.text == "nic"))
        file_.fail(key, fmt::format("a calc has no {}; only a cpu may follow", key.text));
      if (key.text == "tag") {
        const Field& tag = word("a tag");
        refuse_wildcard(tag);
        op.tag = static_cast<u32>(file_.number(tag, "tag", 0, kMaxTag));
      } else if (key.text == "cpu") {
        op.processor = static_cast<u32>(file_.number(word("a processor"), "cpu", 0, kMaxProcessors - 1));
      } else if (key.text == "nic") {
        if (const Field& nic = word("a NIC"); nic.text != "0") file_.fail(nic, "a GPU has one NIC here: nic 0");
      } else {
        file_.fail(key, fmt::format("'{}' is unknown; tag, cpu and nic may follow", excerpt(key.text)));
      }
    }
  }

  /// 4096b, or 4096 b.
  u64 bytes() {
    Field field = word("a size such as 4096b");
    if (at_ < words_.size() && words_[at_].text == "b") {
      ++at_;
    } else if (field.text.ends_with("b")) {
      field.text.remove_suffix(1);
    } else {
      file_.fail(field, fmt::format("'{}' is no size; write bytes as 4096b", excerpt(field.text)));
    }
    return file_.number(field, "size", 0, kMaxBytes, "bytes");
  }

  /// Takes the ranks apart: there is no room for all of them twice.
  Trace scheduled() {
    Trace trace;
    trace.file = file_.path();
    std::map<Way, u32> number_of;
    for (u32 rank = 0; rank < ranks_.size(); ++rank) {
      for (const Operation& op : ranks_[rank].operations) {
        if (op.kind != Kind::calc) number_of[way_of(rank, op)];
      }
    }
    for (auto& [way, number] : number_of) {
      number = static_cast<u32>(trace.communicators.size());
      trace.communicators.push_back({Group::all, {way[0], way[1]}});
    }
    for (u32 rank = 0; rank < ranks_.size(); ++rank) {
      add_rank(rank, number_of, trace);
      ranks_[rank] = {{}, std::move(ranks_[rank].places), {}};
    }
    file_.forget();
    const SendRules rules{SendMatching::in_order, false, eager_bytes_, "trace.eager_limit"};
    const u64 other_sizes = schedule(trace, rules, [&](u32 rank, u32 op) {
      const Place& at = ranks_[rank].places[op];
      return fmt::format("{}:{}:{}", file_.path(), at.line, at.column);
    });
    if (other_sizes != 0) {
      trace.notes.push_back(fmt::format(
          "{}: {} recv{} another size than the send that {} (the next of the same ranks and tag); as in LogGOPSim the "
          "send's size counts",
          file_.path(), other_sizes, other_sizes == 1 ? " says" : "s say",
          other_sizes == 1 ? "it takes" : "they take"));
    }
    return trace;
  }

  /// A send and its recv.
  static Way way_of(u32 rank, const Operation& op) {
    const bool sends = op.kind == Kind::send;
    return {sends ? rank : op.peer, sends ? op.peer : rank, op.tag};
  }

  void add_rank(u32 rank, const std::map<Way, u32>& number_of, Trace& trace) const {
    const std::vector<Operation>& operations = ranks_[rank].operations;
    TraceRank made;
    made.program = rank;
    for (const Operation& op : operations) {
      if (op.kind != Kind::calc) made.communicators.push_back(number_of.at(way_of(rank, op)));
    }
    std::ranges::sort(made.communicators);
    made.communicators.erase(std::unique(made.communicators.begin(), made.communicators.end()),
                             made.communicators.end());
    made.communicators.shrink_to_fit();
    std::vector<TraceOp> ops(operations.size());
    for (size_t i = 0; i < ops.size(); ++i) {
      const Operation& from = operations[i];
      TraceOp& op = ops[i];
      op.computes = from.kind == Kind::calc;
      if (op.computes) {
        op.compute_ps = static_cast<TimePs>(from.size) * 1000;
        op.processor = from.processor;
      } else {
        const u32 number = number_of.at(way_of(rank, from));
        op.communicator =
            static_cast<u32>(std::ranges::lower_bound(made.communicators, number) - made.communicators.begin());
        op.kind = CollectiveKind::send;
        op.bytes = from.size;
      }
    }
    for (const auto& [op, before] : ranks_[rank].dependences) ops[op].after.push_back(before);
    trace.programs.push_back(std::move(ops));
    trace.ranks.push_back(std::move(made));
  }

  TextFile file_;
  GoalStatements statements_;
  u64 eager_bytes_;
  Words words_;  // of the operation that is being read
  size_t at_ = 0;
  std::vector<Rank> ranks_;
  std::map<std::string, u32> labels_;  // of the rank that is being read
};

}  // namespace

Trace read_goal(const std::string& path, u64 eager_bytes) { return GoalReader(path, eager_bytes).read(); }

}  // namespace heddle
