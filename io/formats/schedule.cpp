#include "io/formats/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "io/error.hpp"

namespace heddle {
namespace {

/// How long a send or a collective takes in the schedule.
constexpr TimePs kMeetingPs = 10'000'000, kPsOfByte = 20;
constexpr TimePs kLatestPs = kNever / 2;

std::string name_of(CollectiveKind kind) {
  constexpr const char* kNames[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "gather",   "broadcast",
                                    "reduce",     "scatter",    "send",           "barrier",    "send_recv"};
  return kNames[static_cast<u32>(kind)];
}

/// Operations of all ranks are numbered through, by rank and then as in the file.
class Scheduler {
 public:
  Scheduler(Trace& trace, const SendRules& rules, const WhereOfOp& where)
      : trace_(trace), rules_(rules), where_(where) {
    for (const TraceRank& rank : trace.ranks) {
      first_.push_back(count_);
      count_ += static_cast<u32>(trace.programs[rank.program].size());
    }
    left_.resize(count_);
    done_.resize(count_);
    posted_.resize(count_);
    place_.resize(count_);
    order_.resize(trace.ranks.size());
    free_ps_.resize(trace.communicators.size());
    for (u32 rank = 0; rank < trace.ranks.size(); ++rank)
      rank_of_.resize(rank_of_.size() + trace.ops(rank).size(), rank);
    add_followers();
    add_meetings();
  }

  u64 run() {
    std::vector<u32> ready;
    for (u32 op = 0; op < count_; ++op) {
      if (left_[op] == 0) ready.push_back(op);
    }
    for (TimePs now = 0;;) {
      for (const u32 op : ready) op_of(op).computes ? begin_waiting(op, now) : post(op, now);
      start_processors(now);
      ready.clear();
      if (ends_.empty()) break;
      now = ends_.top().first;
      for (; !ends_.empty() && ends_.top().first == now; ends_.pop()) end(ends_.top().second, ready);
      std::ranges::sort(ready);
    }
    check_all_done();
    for (u32 rank = 0; rank < order_.size(); ++rank) reorder(rank);
    return other_sizes_;
  }

 private:
  /// A send that has begun before its recv was posted.
  struct OnItsWay {
    u32 send = 0;
    u32 place = 0;  // of the recv, in the order of its rank
    TimePs end = 0;
  };
  /// Operations of all ranks of a communicator that meet each other, as far as they wait for others.
  struct Meeting {
    std::vector<std::deque<u32>> came;  // [rank of the communicator]
    u32 present = 0;                    // ranks of which some came
    std::deque<OnItsWay> on_their_way;
  };
  using MeetingKey = std::tuple<u32, CollectiveKind, u64>;  // communicator, kind, bytes (0 for sends in order)

  static constexpr u32 kSender = 0, kReceiver = 1;  // seats

  const TraceOp& op_of(u32 op) const { return trace_.ops(rank_of_[op])[op - first_[rank_of_[op]]]; }
  TraceOp& op_of(u32 op) { return program_of(rank_of_[op])[op - first_[rank_of_[op]]]; }
  std::vector<TraceOp>& program_of(u32 rank) { return trace_.programs[trace_.ranks[rank].program]; }
  u32 communicator_of(u32 op) const { return trace_.ranks[rank_of_[op]].communicators[op_of(op).communicator]; }
  bool in_order(u32 op) const {
    return op_of(op).kind == CollectiveKind::send && rules_.matching == SendMatching::in_order;
  }
  bool is_eager(u32 send) const { return op_of(send).bytes <= rules_.eager_bytes; }
  bool waits_for_nobody(u32 send) const { return rules_.alone || is_eager(send); }
  MeetingKey key_of(u32 op) const { return {communicator_of(op), op_of(op).kind, in_order(op) ? 0 : op_of(op).bytes}; }
  /// Of the operation's rank in its communicator.
  u32 seat_of(u32 op) const {
    const std::vector<u32>& ranks = trace_.communicators[communicator_of(op)].ranks;
    if (op_of(op).kind == CollectiveKind::send) return rank_of_[op] == ranks[0] ? 0 : 1;
    return static_cast<u32>(std::ranges::lower_bound(ranks, rank_of_[op]) - ranks.begin());
  }

  void add_followers() {
    first_follower_.assign(count_ + 1, 0);
    const auto for_each_wait = [&](const auto& f) {
      for (u32 op = 0; op < count_; ++op) {
        for (const u32 before : op_of(op).after) f(first_[rank_of_[op]] + before, op);
      }
    };
    for_each_wait([&](u32 before, u32 op) {
      ++first_follower_[before + 1];
      ++left_[op];
    });
    for (u32 op = 0; op < count_; ++op) first_follower_[op + 1] += first_follower_[op];
    followers_.resize(first_follower_[count_]);
    std::vector<u32> next(first_follower_.begin(), first_follower_.end() - 1);
    for_each_wait([&](u32 before, u32 op) { followers_[next[before]++] = op; });
  }

  /// Refuses what not all ranks of a communicator do equally often.
  void add_meetings() {
    std::map<MeetingKey, std::vector<std::vector<u32>>> all;
    for (u32 op = 0; op < count_; ++op) {
      if (op_of(op).computes) continue;
      std::vector<std::vector<u32>>& by_seat = all[key_of(op)];
      by_seat.resize(trace_.communicators[communicator_of(op)].ranks.size());
      by_seat[seat_of(op)].push_back(op);
    }
    for (const auto& [key, by_seat] : all) {
      const auto [least, most] = std::ranges::minmax_element(by_seat, {}, &std::vector<u32>::size);
      if (least->size() != most->size())
        fail_of_number((*most)[least->size()], static_cast<u32>(least - by_seat.begin()));
      meetings_[key].came.resize(by_seat.size());
    }
  }

  [[noreturn]] void fail_of_number(u32 op, u32 other_seat) const {
    const TraceOp& extra = op_of(op);
    const std::vector<u32>& ranks = trace_.communicators[communicator_of(op)].ranks;
    if (extra.kind != CollectiveKind::send) {
      fail(op,
           fmt::format("rank {} does this {} of {} B, but rank {} of the same group does it less often, so it would "
                       "wait for ever",
                       rank_of_[op], name_of(extra.kind), extra.bytes, ranks[other_seat]));
    }
    const bool sends = rank_of_[op] == ranks[0];
    fail(op, fmt::format("this {} of {} B from rank {} to rank {} has no {} of the same tag{}: it would wait for ever",
                         sends ? "send" : "recv", extra.bytes, ranks[0], ranks[1], sends ? "recv" : "send",
                         rules_.matching == SendMatching::by_size ? " and size" : ""));
  }

  [[noreturn]] void fail(u32 op, const std::string& problem) const {
    throw InputError(fmt::format("{}: {}", place_text(op), problem));
  }
  std::string place_text(u32 op) const { return where_(rank_of_[op], op - first_[rank_of_[op]]); }

  /// A computation that nothing but its processor keeps up.
  void begin_waiting(u32 op, TimePs now) {
    Processor& processor = processors_[{rank_of_[op], op_of(op).processor}];
    processor.waiting.push({now, op});
    touched_.push_back(&processor);
  }

  void start_processors(TimePs now) {
    for (Processor* processor : touched_) {
      if (processor->waiting.empty() || processor->busy) continue;
      const u32 op = processor->waiting.top().second;
      processor->waiting.pop();
      processor->busy = true;
      begin({op}, now, op_of(op).compute_ps);
    }
    touched_.clear();
  }

  /// A rank has come to a send or collective.
  void post(u32 op, TimePs now) {
    posted_[op] = true;
    Meeting& meeting = meetings_[key_of(op)];
    std::deque<u32>& own = meeting.came[seat_of(op)];
    own.push_back(op);
    meeting.present += own.size() == 1 ? 1 : 0;
    if (op_of(op).kind == CollectiveKind::send) return post_send(op, meeting, now);
    if (meeting.present == meeting.came.size()) meet(meeting, now);
  }

  /// Those of a communicator begin in the order in which they are posted, whoever waits for whom.
  void post_send(u32 op, Meeting& meeting, TimePs now) {
    if (rank_of_[op] == trace_.communicators[communicator_of(op)].ranks[kSender] && is_eager(op)) {
      op_of(op).done = DoneWhen::posted;
      ends_.push({now, {op}});
    }
    std::deque<u32>&sends = meeting.came[kSender], &recvs = meeting.came[kReceiver];
    for (bool moved = true; moved;) {
      moved = true;
      if (!meeting.on_their_way.empty() && !recvs.empty()) {
        take_what_is_on_its_way(meeting, now);
      } else if (!sends.empty() && waits_for_nobody(sends.front())) {
        begin_alone(meeting, now);
      } else if (!sends.empty() && !recvs.empty()) {
        meet(meeting, now);
      } else {
        moved = false;
      }
    }
  }

  /// The next operation of every rank.
  void meet(Meeting& meeting, TimePs now) {
    std::vector<u32> ops;
    for (std::deque<u32>& came : meeting.came) ops.push_back(take(meeting, came));
    if (in_order(ops[0])) take_size(ops[kSender], ops[kReceiver]);
    begin_in_communicator(std::move(ops), now);
  }

  static u32 take(Meeting& meeting, std::deque<u32>& came) {
    const u32 op = came.front();
    came.pop_front();
    meeting.present -= came.empty() ? 1 : 0;
    return op;
  }

  void take_size(u32 send, u32 recv) {
    other_sizes_ += op_of(recv).bytes != op_of(send).bytes ? 1 : 0;
    op_of(recv).bytes = op_of(send).bytes;
  }

  /// Returns when they end.
  TimePs begin_in_communicator(std::vector<u32> ops, TimePs now) {
    TimePs& free_ps = free_ps_[communicator_of(ops[0])];
    const TimePs takes = kMeetingPs + static_cast<TimePs>(op_of(ops[0]).bytes) * kPsOfByte;
    return free_ps = begin(std::move(ops), std::max(now, free_ps), takes);
  }

  /// The receiver's part stands in its order, too: whichever recv it will be.
  void begin_alone(Meeting& meeting, TimePs now) {
    const u32 send = take(meeting, meeting.came[kSender]);
    const TimePs end = begin_in_communicator({send}, now);
    std::vector<u32>& order = order_[trace_.communicators[communicator_of(send)].ranks[kReceiver]];
    meeting.on_their_way.push_back({send, static_cast<u32>(order.size()), end});
    order.push_back(kNone);
  }

  void take_what_is_on_its_way(Meeting& meeting, TimePs now) {
    const OnItsWay sent = meeting.on_their_way.front();
    meeting.on_their_way.pop_front();
    const u32 recv = take(meeting, meeting.came[kReceiver]);
    if (in_order(recv)) take_size(sent.send, recv);
    op_of(recv).done = DoneWhen::arrived;
    place_[recv] = sent.place;
    order_[rank_of_[recv]][sent.place] = recv;
    ends_.push({std::max(sent.end, now), {recv}});
  }

  /// Returns when they end.
  TimePs begin(std::vector<u32> ops, TimePs start, TimePs takes) {
    for (const u32 op : ops) {
      std::vector<u32>& order = order_[rank_of_[op]];
      place_[op] = static_cast<u32>(order.size());
      order.push_back(op);
    }
    const TimePs end = std::min(start + takes, kLatestPs);
    ends_.push({end, std::move(ops)});
    return end;
  }

  void end(const std::vector<u32>& ops, std::vector<u32>& ready) {
    for (const u32 op : ops) {
      if (done_[op]) continue;  // an eager send, when it was posted
      done_[op] = true;
      if (op_of(op).computes) {
        Processor& processor = processors_[{rank_of_[op], op_of(op).processor}];
        processor.busy = false;
        touched_.push_back(&processor);
      }
      for (u32 f = first_follower_[op]; f < first_follower_[op + 1]; ++f) {
        if (--left_[followers_[f]] == 0) ready.push_back(followers_[f]);
      }
    }
  }

  /// Something that an operation waits for and that is not done.
  u32 awaited_by(u32 op) const {
    for (const u32 before : op_of(op).after) {
      if (!done_[first_[rank_of_[op]] + before]) return first_[rank_of_[op]] + before;
    }
    const std::vector<std::deque<u32>>& came = meetings_.at(key_of(op)).came;
    const size_t absent = static_cast<size_t>(std::ranges::find_if(came, &std::deque<u32>::empty) - came.begin());
    const u32 rank = trace_.communicators[communicator_of(op)].ranks[absent];
    u32 other = first_[rank];
    while (posted_[other] || op_of(other).computes || key_of(other) != key_of(op)) ++other;
    return other;
  }

  void check_all_done() const {
    const auto stuck = std::ranges::find(done_, false);
    if (stuck == done_.end()) return;
    std::vector<u32> way = {static_cast<u32>(stuck - done_.begin())};
    std::vector<bool> met(count_, false);
    while (!met[way.back()]) {
      met[way.back()] = true;
      way.push_back(awaited_by(way.back()));
    }
    std::vector<u32> circle(std::ranges::find(way, way.back()), way.end() - 1);
    std::rotate(circle.begin(), std::ranges::min_element(circle), circle.end());
    std::string others;
    for (size_t i = 1; i < std::min<size_t>(circle.size(), 5); ++i)
      others += fmt::format("{} {}", i == 1 ? ", by way of" : ",", place_text(circle[i]));
    if (circle.size() > 5) others += fmt::format(" and {} more", circle.size() - 5);
    fail(circle[0],
         fmt::format("rank {} waits for itself here{}{}", rank_of_[circle[0]], others, about_eager_sends(circle)));
  }

  /// Where a send takes part in a circle: how large a send may be that waits for nobody.
  std::string about_eager_sends(const std::vector<u32>& circle) const {
    const auto waits = [&](u32 op) {
      return !op_of(op).computes && op_of(op).kind == CollectiveKind::send && seat_of(op) == kSender &&
             !waits_for_nobody(op);
    };
    if (rules_.eager_key.empty() || std::ranges::none_of(circle, waits)) return "";
    return fmt::format("; a send of more than {} = {} B waits until it is received", rules_.eager_key,
                       rules_.eager_bytes);
  }

  void reorder(u32 rank) {
    std::vector<TraceOp>& ops = program_of(rank);
    std::vector<TraceOp> ordered;
    ordered.reserve(ops.size());
    for (const u32 op : order_[rank]) {
      ordered.push_back(std::move(ops[op - first_[rank]]));
      for (u32& before : ordered.back().after) before = place_[first_[rank] + before];
    }
    ops = std::move(ordered);
  }

  using Instant = std::pair<TimePs, u32>;
  struct Processor {
    bool busy = false;
    std::priority_queue<Instant, std::vector<Instant>, std::greater<>> waiting;  // since when, and the operation
  };
  using End = std::pair<TimePs, std::vector<u32>>;

  Trace& trace_;
  const SendRules& rules_;
  const WhereOfOp& where_;
  u32 count_ = 0;
  std::vector<u32> first_;                               // [rank]
  std::vector<u32> rank_of_;                             // [operation]
  std::vector<u32> left_;                                // [operation] how many it waits for
  std::vector<bool> done_, posted_;                      // [operation]
  std::vector<u32> place_;                               // [operation] in the order of its rank
  std::vector<std::vector<u32>> order_;                  // [rank]
  std::vector<u32> first_follower_, followers_;          // by operation, who waits for it
  std::vector<TimePs> free_ps_;                          // [communicator]
  std::map<std::pair<u32, u32>, Processor> processors_;  // (rank, processor)
  std::vector<Processor*> touched_;                      // at this instant
  std::map<MeetingKey, Meeting> meetings_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  u64 other_sizes_ = 0;
};

}  // namespace

u64 schedule(Trace& trace, const SendRules& rules, const WhereOfOp& where) {
  return Scheduler(trace, rules, where).run();
}

}  // namespace heddle
