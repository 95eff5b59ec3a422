#include "io/results/estimates.hpp"

#include <algorithm>
#include <cmath>

#include "io/results/iterations.hpp"

namespace heddle {
namespace {

constexpr TimePs kUnknown = -1;
/// Of the error, both from random worlds (tests/property/calibration): times do not lie on a line quite, and hang on
/// which of two packets comes first, and on the phase of slots, too.
constexpr double kOfCorrection = 2, kLeastError = 0.002;

struct Time {
  Timed of;
  u32 id;
  TimePs ps;
};

TimePs time_of_collective(const World& world, const Outcome& outcome, u32 i) {
  const CollectiveOutcome& o = outcome.collectives[i];
  const size_t ranks = world.collectives.jobs[world.collectives.collectives[i].job].ranks.size();
  return o.ranks_finished < ranks ? kUnknown : o.last_finish_ps - o.first_enter_ps;
}

/// All that there may be, known or not: the same list for every outcome of a World.
std::vector<Time> times_of(const World& world, const Outcome& outcome) {
  std::vector<Time> times;
  for (u32 i = 0; i < outcome.collectives.size(); ++i)
    times.push_back({Timed::collective, i, time_of_collective(world, outcome, i)});
  for (u32 m = 0; m < outcome.messages.size(); ++m) {
    const MessageOutcome& o = outcome.messages[m];
    times.push_back(
        {Timed::message, m, o.acked_ps < 0 ? kUnknown : o.acked_ps - posted_ps(world.traffic.messages[m], o)});
  }
  const std::vector<IterationRow> rows = iteration_rows(world, outcome);
  for (u32 i = 0; i < rows.size(); ++i) times.push_back({Timed::iteration, i, rows[i].time_ps});
  times.push_back({Timed::run, 0, outcome.reason == EndReason::complete ? outcome.end_ps : kUnknown});
  return times;
}

/// On the line through what k and 2k MTUs have, at one; exact in integers, cut towards the value with k.
TimePs on_the_line(TimePs coarse_ps, TimePs coarser_ps, u32 mtus) {
  return coarse_ps - (coarser_ps - coarse_ps) / mtus * (mtus - 1);
}

/// Where that would be no time at all, the line says nothing: what k has.
TimePs at_one_mtu(TimePs coarse_ps, TimePs coarser_ps, u32 mtus) {
  const TimePs line_ps = on_the_line(coarse_ps, coarser_ps, mtus);
  return line_ps > 0 ? line_ps : coarse_ps;
}

/// `time_ps` is not quite what the line says where instants that were moved had to be put in order.
TimeEstimate estimate(const Time& coarse, TimePs coarser_ps, TimePs time_ps, u32 mtus) {
  const TimePs line_ps = on_the_line(coarse.ps, coarser_ps, mtus);
  const TimePs correction_ps = std::max(std::abs(coarse.ps - line_ps), std::abs(coarse.ps - time_ps));
  const double error_ps =
      kOfCorrection * static_cast<double>(correction_ps) + kLeastError * static_cast<double>(coarse.ps);
  return {coarse.of, coarse.id, coarse.ps, coarser_ps, time_ps, static_cast<TimePs>(std::ceil(error_ps))};
}

/// Of two runs one time may agree by luck, so none counts as better than 95 % of its kind.
void pool_errors(std::span<TimeEstimate> kind) {
  if (kind.empty()) return;
  std::vector<double> errors;
  for (const TimeEstimate& e : kind) errors.push_back(e.error());
  const auto rank = static_cast<size_t>(std::ceil(0.95 * static_cast<double>(errors.size()))) - 1;
  std::nth_element(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(rank), errors.end());
  for (TimeEstimate& e : kind)
    e.error_ps = std::max(e.error_ps, static_cast<TimePs>(std::ceil(errors[rank] * static_cast<double>(e.time_ps))));
}

/// Moves instants and sums of times of one outcome by those of another.
class Mover {
 public:
  explicit Mover(u32 mtus) : mtus_(mtus) {}

  void instant(TimePs& coarse_ps, TimePs coarser_ps) const {
    if (coarse_ps >= 0 && coarser_ps >= 0) coarse_ps = at_one_mtu(coarse_ps, coarser_ps, mtus_);
  }
  void sum(u64& coarse_ps, u64 coarser_ps) const {
    auto moved_ps = static_cast<TimePs>(coarse_ps);
    instant(moved_ps, static_cast<TimePs>(coarser_ps));
    coarse_ps = static_cast<u64>(moved_ps);
  }
  void message(const Message& of, MessageOutcome& a, const MessageOutcome& b) const {
    instant(a.posted_ps, b.posted_ps);
    instant(a.start_ps, b.start_ps);
    instant(a.received_ps, b.received_ps);
    instant(a.acked_ps, b.acked_ps);
    // each is moved by itself, and by what its own two runs say
    a.start_ps = std::max(a.start_ps, posted_ps(of, a));
    a.received_ps = std::max(a.received_ps, a.start_ps);
    a.acked_ps = std::max(a.acked_ps, a.received_ps);
  }
  void collective(CollectiveOutcome& a, const CollectiveOutcome& b) const {
    instant(a.first_enter_ps, b.first_enter_ps);
    instant(a.last_enter_ps, b.last_enter_ps);
    instant(a.first_finish_ps, b.first_finish_ps);
    instant(a.last_finish_ps, b.last_finish_ps);
    // the first and the last need not be the same GPU in both
    a.last_enter_ps = std::max(a.first_enter_ps, a.last_enter_ps);
    a.first_finish_ps = std::min(a.first_finish_ps, a.last_finish_ps);
  }
  void iteration(IterationOutcome& a, const IterationOutcome& b) const {
    instant(a.first_begin_ps, b.first_begin_ps);
    instant(a.last_begin_ps, b.last_begin_ps);
    instant(a.first_end_ps, b.first_end_ps);
    instant(a.last_end_ps, b.last_end_ps);
    a.last_begin_ps = std::max(a.first_begin_ps, a.last_begin_ps);
    a.first_end_ps = std::min(a.first_end_ps, a.last_end_ps);
    for (u32 g = 0; g < kGroups; ++g) {
      sum(a.waited_ps[g], b.waited_ps[g]);
      instant(a.most_waited_ps[g], b.most_waited_ps[g]);
    }
  }

 private:
  u32 mtus_;
};

/// When the last of all that was moved ends: each was moved by itself.
TimePs last_end_ps(const Outcome& outcome) {
  TimePs last_ps = 0;
  for (const MessageOutcome& m : outcome.messages) last_ps = std::max(last_ps, m.acked_ps);
  for (const CollectiveOutcome& c : outcome.collectives) last_ps = std::max(last_ps, c.last_finish_ps);
  for (const IterationOutcome& i : outcome.iterations) last_ps = std::max(last_ps, i.last_end_ps);
  return last_ps;
}

bool is_before(const TimeEstimate& e, Timed of, u32 id) { return e.of != of ? e.of < of : e.id < id; }

}  // namespace

std::vector<TimeEstimate> estimates_of(const World& world, const Outcome& coarse, const Outcome& coarser, u32 mtus) {
  const std::vector<Time> times = times_of(world, coarse), others = times_of(world, coarser),
                          moved = times_of(world, extrapolated(world, coarse, coarser, mtus));
  std::vector<TimeEstimate> all;
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i].ps != kUnknown && others[i].ps != kUnknown)
      all.push_back(estimate(times[i], others[i].ps, moved[i].ps, mtus));
  }
  for (size_t first = 0, end = 0; first < all.size(); first = end) {
    while (end < all.size() && all[end].of == all[first].of) ++end;
    pool_errors(std::span(all).subspan(first, end - first));
  }
  return all;
}

Outcome extrapolated(const World& world, const Outcome& coarse, const Outcome& coarser, u32 mtus) {
  Outcome all = coarse;
  const Mover mover(mtus);
  for (size_t m = 0; m < all.messages.size(); ++m) {
    if (all.messages[m].acked_ps >= 0 && coarser.messages[m].acked_ps >= 0)
      mover.message(world.traffic.messages[m], all.messages[m], coarser.messages[m]);
  }
  for (size_t i = 0; i < all.collectives.size(); ++i) {
    if (all.collectives[i].ranks_finished == coarser.collectives[i].ranks_finished)
      mover.collective(all.collectives[i], coarser.collectives[i]);
  }
  for (size_t i = 0; i < all.iterations.size(); ++i) {
    if (all.iterations[i].gpus_ended == coarser.iterations[i].gpus_ended)
      mover.iteration(all.iterations[i], coarser.iterations[i]);
  }
  if (coarse.reason == EndReason::complete && coarser.reason == EndReason::complete) {
    mover.instant(all.end_ps, coarser.end_ps);
    all.end_ps = std::max(all.end_ps, last_end_ps(all));
  }
  return all;
}

std::span<const TimeEstimate> estimates_of_kind(std::span<const TimeEstimate> all, Timed of) {
  const auto first = std::ranges::lower_bound(all, of, {}, &TimeEstimate::of);
  const auto end = std::ranges::upper_bound(all, of, {}, &TimeEstimate::of);
  return {first, end};
}

const TimeEstimate* find_estimate(std::span<const TimeEstimate> all, Timed of, u32 id) {
  const auto found = std::ranges::partition_point(all, [&](const TimeEstimate& e) { return is_before(e, of, id); });
  return found != all.end() && found->of == of && found->id == id ? &*found : nullptr;
}

}  // namespace heddle
