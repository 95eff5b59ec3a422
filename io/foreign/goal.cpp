#include "io/foreign/goal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "io/foreign/text.hpp"

namespace heddle {
namespace {

constexpr u64 kMostRanks = 1 << 20;
constexpr u64 kMostBytes = u64{1} << 46;  // of one message: 70 TB
constexpr u64 kMostCalcNs = 17'000'000'000;
constexpr u64 kMostProcessors = 4096;

enum class Kind : u8 { send, recv, calc };

struct Operation {
  Kind kind = Kind::calc;
  u64 size = 0;  // bytes, or nanoseconds
  u32 peer = 0, tag = 0, processor = 0;
  std::vector<u32> after;
  Field at;
};

/// A pair of ranks and a tag: source, destination, tag.
using Way = std::array<u32, 3>;

class GoalReader {
 public:
  explicit GoalReader(const std::string& path) : file_(path) {}

  Trace read() {
    const TextLine& head = take("num_ranks N");
    if (head.fields[0].text != "num_ranks") file_.fail(head.fields[0], "a GOAL schedule begins with 'num_ranks N'");
    file_.expect_fields(head, "num_ranks N", 2);
    operations_.resize(file_.number(head.fields[1], "num_ranks", 1, kMostRanks));
    std::vector<bool> seen(operations_.size(), false);
    for (skip_comments(); !file_.at_end(); skip_comments()) {
      const u32 rank = read_rank_head(seen);
      seen[rank] = true;
      read_rank(rank);
    }
    Trace trace;
    trace.file = file_.path();
    add_ways(trace);
    for (u32 rank = 0; rank < operations_.size(); ++rank) trace.ranks.push_back(ordered(rank));
    return trace;
  }

 private:
  void skip_comments() {
    while (!file_.at_end() && file_.peek().fields[0].text.starts_with("//")) file_.take("");
  }

  /// The next line that says something.
  const TextLine& take(std::string_view what) {
    skip_comments();
    return file_.take(what);
  }

  u32 read_rank_head(const std::vector<bool>& seen) {
    const TextLine& line = take("rank R {");
    if (line.fields[0].text != "rank") file_.fail(line.fields[0], "expected 'rank R {' here");
    file_.expect_fields(line, "rank R {", 3);
    if (line.fields[2].text != "{") file_.fail(line.fields[2], "expected '{' behind the rank");
    const auto rank = static_cast<u32>(file_.number(line.fields[1], "rank", 0, operations_.size() - 1));
    if (seen[rank]) file_.fail(line.fields[1], fmt::format("rank {} is given twice", rank));
    return rank;
  }

  void read_rank(u32 rank) {
    labels_.clear();
    for (;;) {
      const TextLine& line = take(fmt::format("}} at the end of rank {}", rank));
      if (line.fields[0].text == "}") return file_.expect_fields(line, "}", 1);
      if (line.fields.size() > 1 && (line.fields[1].text == "requires" || line.fields[1].text == "irequires")) {
        read_dependence(rank, line);
      } else {
        read_operation(rank, line);
      }
    }
  }

  void read_dependence(u32 rank, const TextLine& line) {
    if (line.fields[1].text == "irequires") {
      file_.fail(line.fields[1],
                 "irequires (after the other has begun) is not supported; only requires (after it is done) is");
    }
    file_.expect_fields(line, "LABEL requires LABEL", 3);
    operations_[rank][label(line.fields[0])].after.push_back(label(line.fields[2]));
  }

  u32 label(const Field& field) const {
    const auto found = labels_.find(std::string(field.text));
    if (found == labels_.end())
      file_.fail(field, fmt::format("there is no operation '{}' above this line in this rank", field.text));
    return found->second;
  }

  /// [LABEL:] send SIZEb to RANK tag TAG [cpu N] [nic N], recv SIZEb from ..., calc NANOSECONDS [cpu N].
  void read_operation(u32 rank, const TextLine& line) {
    const std::vector<Field>& words = line.fields;
    size_t at = 0;
    if (words[0].text.ends_with(":")) {
      const std::string name(words[0].text.substr(0, words[0].text.size() - 1));
      if (!labels_.try_emplace(name, static_cast<u32>(operations_[rank].size())).second)
        file_.fail(words[0], fmt::format("the label '{}' is given twice in this rank", name));
      at = 1;
    }
    const auto word = [&](const char* what) -> const Field& {
      if (at == words.size()) file_.fail(line.number, 1, fmt::format("the line ends where {} should follow", what));
      return words[at++];
    };
    Operation op;
    op.at = word("an operation");
    if (op.at.text == "calc") {
      op.size = file_.number(word("nanoseconds"), "calc", 0, kMostCalcNs, "ns");
    } else if (op.at.text == "send" || op.at.text == "recv") {
      op.kind = op.at.text == "send" ? Kind::send : Kind::recv;
      op.size = bytes(word("a size such as 4096b"));
      const std::string_view way = op.kind == Kind::send ? "to" : "from";
      if (const Field& field = word("to or from"); field.text != way)
        file_.fail(field, fmt::format("expected '{}', found '{}'", way, field.text));
      const Field& peer = word("a rank");
      op.peer = static_cast<u32>(file_.number(peer, "rank", 0, operations_.size() - 1));
      if (op.peer == rank) file_.fail(peer, "a rank cannot send to itself");
    } else {
      file_.fail(op.at, fmt::format("'{}' is no operation; send, recv and calc are", op.at.text));
    }
    while (at < words.size()) {
      const Field& key = word("a key");
      if (key.text == "tag") {
        op.tag = static_cast<u32>(file_.number(word("a tag"), "tag", 0, ~u32{0}));
      } else if (key.text == "cpu") {
        op.processor = static_cast<u32>(file_.number(word("a processor"), "cpu", 0, kMostProcessors - 1));
      } else if (key.text == "nic") {
        if (const Field& nic = word("a NIC"); nic.text != "0") file_.fail(nic, "a GPU has one NIC here: nic 0");
      } else {
        file_.fail(key, fmt::format("'{}' is unknown; tag, cpu and nic may follow", key.text));
      }
    }
    operations_[rank].push_back(std::move(op));
  }

  u64 bytes(Field field) const {
    if (!field.text.ends_with("b")) file_.fail(field, fmt::format("'{}' is no size; write bytes as 4096b", field.text));
    field.text.remove_suffix(1);
    return file_.number(field, "size", 1, kMostBytes, "bytes");
  }

  /// A communicator for every pair of ranks and tag, whose sends and receives match one by one.
  void add_ways(Trace& trace) {
    std::map<Way, std::array<std::vector<const Operation*>, 2>> ends;
    for (u32 rank = 0; rank < operations_.size(); ++rank) {
      for (const Operation& op : operations_[rank]) {
        if (op.kind == Kind::send) ends[{rank, op.peer, op.tag}][0].push_back(&op);
        if (op.kind == Kind::recv) ends[{op.peer, rank, op.tag}][1].push_back(&op);
      }
    }
    for (const auto& [way, both] : ends) {
      check_match(way, both);
      number_of_[way] = static_cast<u32>(trace.communicators.size());
      trace.communicators.push_back({Group::all, {way[0], way[1]}});
    }
  }

  void check_match(const Way& way, const std::array<std::vector<const Operation*>, 2>& both) const {
    const size_t common = std::min(both[0].size(), both[1].size());
    for (size_t i = 0; i < common; ++i) {
      if (both[0][i]->size == both[1][i]->size) continue;
      file_.fail(both[1][i]->at, fmt::format("receives {} B, but the send that it belongs to (line {}) has {} B",
                                             both[1][i]->size, both[0][i]->at.line, both[0][i]->size));
    }
    if (both[0].size() == both[1].size()) return;
    const bool sends = both[0].size() > common;
    file_.fail(
        both[sends ? 0 : 1][common]->at,
        fmt::format("this {} from rank {} to rank {} with tag {} has no {}", sends ? "send" : "recv", way[0], way[1],
                    way[2], sends ? "recv: it would never be received" : "send: it would wait for ever"));
  }

  /// A rank's operations, each behind those that it waits for, otherwise as in the file.
  std::vector<TraceOp> ordered(u32 rank) const {
    const std::vector<Operation>& all = operations_[rank];
    std::vector<u32> left(all.size()), place(all.size(), kNone), order;
    std::vector<std::vector<u32>> followers(all.size());
    for (u32 i = 0; i < all.size(); ++i) {
      left[i] = static_cast<u32>(all[i].after.size());
      for (const u32 before : all[i].after) followers[before].push_back(i);
    }
    std::vector<u32> ready;  // a heap, lowest first
    for (u32 i = static_cast<u32>(all.size()); i-- > 0;) {
      if (left[i] == 0) ready.push_back(i);
    }
    std::make_heap(ready.begin(), ready.end(), std::greater<>());
    while (!ready.empty()) {
      std::pop_heap(ready.begin(), ready.end(), std::greater<>());
      const u32 i = ready.back();
      ready.pop_back();
      place[i] = static_cast<u32>(order.size());
      order.push_back(i);
      for (const u32 follower : followers[i]) {
        if (--left[follower] != 0) continue;
        ready.push_back(follower);
        std::push_heap(ready.begin(), ready.end(), std::greater<>());
      }
    }
    for (u32 i = 0; i < all.size(); ++i) {
      if (place[i] == kNone) file_.fail(all[i].at, "waits for itself, over the operations that it requires");
    }
    std::vector<TraceOp> ops;
    ops.reserve(order.size());
    for (const u32 i : order) ops.push_back(trace_op(rank, all[i], place));
    return ops;
  }

  TraceOp trace_op(u32 rank, const Operation& from, const std::vector<u32>& place) const {
    TraceOp op;
    op.line = from.at.line;
    op.computes = from.kind == Kind::calc;
    if (op.computes) {
      op.compute_ps = static_cast<TimePs>(from.size) * 1000;
      op.processor = from.processor;
    } else {
      const bool sends = from.kind == Kind::send;
      op.communicator = number_of_.at({sends ? rank : from.peer, sends ? from.peer : rank, from.tag});
      op.kind = CollectiveKind::send;
      op.bytes = from.size;
    }
    for (const u32 before : from.after) op.after.push_back(place[before]);
    return op;
  }

  TextFile file_;
  std::vector<std::vector<Operation>> operations_;  // [rank]
  std::map<std::string, u32> labels_;               // of the rank that is being read
  std::map<Way, u32> number_of_;
};

}  // namespace

Trace read_goal(const std::string& path) { return GoalReader(path).read(); }

}  // namespace heddle
