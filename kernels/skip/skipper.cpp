#include "kernels/skip/skipper.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/restart/wake_all.hpp"
#include "kernels/skip/guards.hpp"
#include "kernels/skip/period.hpp"
#include "kernels/skip/walk.hpp"

namespace heddle {
namespace {

/// Simulated time between two looks at the witnesses; and what they have to repeat at least, so that packets that
/// follow each other at line rate are no period yet.
constexpr TimePs kLookPs = 25'000'000, kLeastPs = 150'000'000;
/// The period of the fabric is that of a witness times 1, 2, 4, ... as slots and queue pairs take turns.
constexpr u32 kMostUnits = 64;
/// Looking at a value takes 2 to 3 ns, a packet-hop 60 to 200: so many values a packet-hop, skipped ones too, are about
/// a hundredth of the time that simulating all of them would take. The first ones are for free, as a run that has just
/// begun has not simulated anything yet.
constexpr double kValuesPerHop = 0.5;
constexpr u64 kFreeValues = u64{5} << 17;
/// What finding the period of a witness costs, in values per note.
constexpr u64 kValuesPerNote = 4;

constexpr const char* kNotRepeated =
    "what was found to repeat itself did not; this is a defect of the engine, so what it computed cannot be trusted; "
    "acceleration.mode = \"off\" simulates everything";

}  // namespace

TimePs Skipper::next_stop_ps(TimePs now_ps) const {
  if (known_) return std::max(now_ps + 1, known_ps_ + known_->period_ps);
  return std::max(now_ps + 1, trial_ ? trial_->next_stop_ps() : looked_ps_ + kLookPs);
}

Skipper::Sums Skipper::agree_on_sums(const Tally& mine, Agreement& parts) {
  u64 words[] = {mine.packet_hops, mine.timely, values_, values_of_state_};
  parts.sum(words);
  all_values_ = words[2];
  all_values_of_state_ = words[3];
  return {words[0], words[1]};
}

/// Idle time is to be jumped over in one go, however long it is.
TimePs Skipper::next_event_ps(const Tick& tick, Agreement& parts) {
  const i64 mine[] = {backend_.next_event_ps(tick.parity)};
  const TimePs next_ps = parts.least(mine)[0];
  return next_ps >= kNever ? tick.from : std::max(next_ps, tick.from);
}

/// Decided by counts, not by clocks: the same run, in as many parts, makes the same skips.
bool Skipper::affords(u64 values) const {
  return static_cast<double>(all_values_ + values) <=
         static_cast<double>(kFreeValues) + kValuesPerHop * static_cast<double>(packet_hops_);
}

void Skipper::look(const Tick& tick, TimePs end_ps, Agreement& parts) {
  found_.reset();
  if (tick.from >= end_ps) {
    trial_.reset();
    return;
  }
  if (tick.from < next_stop_ps(tick.from - 1)) return;
  if (known_) return find_again(tick, parts);
  if (trial_ && tick.from > trial_->next_stop_ps()) trial_.reset();  // nothing happened for longer than its period
  const Tally mine = backend_.tally();
  const Sums sums = agree_on_sums(mine, parts);
  if (!first_hops_) first_hops_ = sums.packet_hops;  // a run may go on from a checkpoint
  const bool idle = sums.packet_hops - *first_hops_ == packet_hops_;
  packet_hops_ = sums.packet_hops - *first_hops_;
  if (trial_) return continue_trial(tick, end_ps, sums, mine, parts);
  looked_ps_ = idle ? next_event_ps(tick, parts) : tick.from;
  const bool was_timely = sums.timely != timely_;
  timely_ = sums.timely;
  if (was_timely || !affords(kValuesPerNote * Witness::kNotes + all_values_of_state_)) return;
  backend_.fetch_all(tick.parity);
  const TimePs unit_ps = period_of_witnesses(tick.from, parts);
  if (unit_ps != 0 && !parts.any(any_control_started(model_.view))) begin_trial(tick, unit_ps, sums, mine);
}

/// The longest of those that still send: what others do may repeat within it.
TimePs Skipper::period_of_witnesses(TimePs now_ps, Agreement& parts) {
  TimePs longest_ps = 0;
  for (u32 w = 0; w < model_.witnesses; ++w) {
    const Witness& witness = model_.view.endpoint.witness[w];
    values_ += kValuesPerNote * std::min(witness.notes, Witness::kNotes);
    const TimePs period_ps = latest_period_ps(witness, kLeastPs);
    const TimePs latest_ps = witness.notes == 0 ? 0 : witness.start_ps[(witness.notes - 1) % Witness::kNotes];
    if (now_ps - latest_ps <= period_ps) longest_ps = std::max(longest_ps, period_ps);
  }
  return parts.most(longest_ps);
}

void Skipper::begin_trial(const Tick& tick, TimePs unit_ps, const Sums& sums, Tally mine) {
  trial_.emplace();
  trial_->from_ps = tick.from;
  trial_->unit_ps = unit_ps;
  trial_->timely = sums.timely;
  NotingFields noting(trial_->movement.values);
  walk_state(noting, model_, tick.parity, mine);
  values_of_state_ = trial_->movement.values.size();
  values_ += values_of_state_;
  forget_most(model_.view);
  backend_.put(model_.view.pool_state);
}

void Skipper::continue_trial(const Tick& tick, TimePs end_ps, const Sums& sums, Tally mine, Agreement& parts) {
  RepetitionTrial& trial = *trial_;
  if (sums.timely != trial.timely) {
    trial_.reset();
    return;
  }
  backend_.fetch_all(tick.parity);
  Comparing comparing(trial.movement, trial.period_ps(), tick.from, trial.again);
  walk_state(comparing, model_, tick.parity, mine);
  values_ += comparing.looked_at();
  if (!parts.all(comparing.whole())) return give_up_or_lengthen(tick, parts);
  if (trial.again) return conclude(tick, end_ps, comparing.first_fixed_ps(), sums, parts);
  trial.again = true;
  trial.headway = std::make_unique<Headway>(model_.view);
  hops_of_period_ = sums.packet_hops;
}

/// Half of what was found to repeat did not; or the fabric may take longer than the witness.
void Skipper::give_up_or_lengthen(const Tick& tick, Agreement& parts) {
  RepetitionTrial& trial = *trial_;
  trial.units *= 2;
  if (trial.again || trial.units > kMostUnits || !affords(0) || period_of_witnesses(tick.from, parts) != trial.unit_ps)
    trial_.reset();
  looked_ps_ = tick.from;
}

void Skipper::conclude(const Tick& tick, TimePs end_ps, TimePs first_fixed_ps, const Sums& sums, Agreement& parts) {
  RepetitionTrial trial = std::move(*trial_);
  trial_.reset();
  looked_ps_ = tick.from;
  if (parts.any(near_pause(model_.view) || any_pause_change_due(model_.view, tick.parity))) return;
  const TimePs period_ps = trial.period_ps();
  const i64 mine[] = {first_fixed_ps, static_cast<i64>(repetitions_left(model_, *trial.headway))};
  const std::vector<i64> least = parts.least(mine);
  const TimePs room_ps = std::min(end_ps, least[0]) - tick.from;
  const u64 in_time = static_cast<u64>(room_ps / period_ps);
  const u64 times = std::min(static_cast<u64>(least[1]), in_time);
  // Wherever a skip lands, the next epoch begins while all goes on to repeat itself: the free memory that is taken at
  // the landing instead of at the start of its epoch decides nothing until then (near_pause), and is right after it.
  const u64 of_epoch = static_cast<u64>(model_.view.settings.epoch_ps / period_ps) + 1;
  if (times <= of_epoch) return;
  hops_of_period_ = sums.packet_hops - hops_of_period_;
  if (hops_of_period_ == 0) return;  // nothing repeats itself for ever, and who waits for its end waits for ever
  by_ = std::move(trial.movement.by);
  timely_ = sums.timely;
  hops_at_known_ = sums.packet_hops;
  find(tick.from, {period_ps, times - of_epoch});
}

/// Something else begins where there is no other time.
void Skipper::find(TimePs now_ps, const Repetition& repetition) {
  known_ps_ = now_ps;
  found_ = known_ = repetition;
  if (repetition.times != 0) return;
  found_.reset();
  known_.reset();
}

void Skipper::find_again(const Tick& tick, Agreement& parts) {
  const Repetition known = *known_;
  known_.reset();
  if (tick.from != known_ps_ + known.period_ps) return;
  // Tally::timely may grow here: windows count in it, and where they lie depends on where ticks end.
  const u64 hops = agree_on_sums(backend_.tally(), parts).packet_hops;
  if (hops - hops_at_known_ != hops_of_period_) throw std::logic_error(kNotRepeated);
  hops_at_known_ = hops;
  find(tick.from, {known.period_ps, known.times - 1});
}

void Skipper::skip(u64 times, Tick& tick) {
  if (!found_ || times > found_->times) throw std::logic_error("skip: more than what was found to repeat itself");
  backend_.fetch_all(tick.parity);
  Tally sums = backend_.tally();
  Counting counting;
  walk_state(counting, model_, tick.parity, sums);
  if (counting.count() != by_.size()) throw std::logic_error(kNotRepeated);
  Advancing advancing(by_, times);
  walk_state(advancing, model_, tick.parity, sums);
  const TimePs by_ps = static_cast<TimePs>(times) * found_->period_ps;
  skips_.push_back({tick.from, tick.from + by_ps, found_->period_ps, times, hops_of_period_ * times});
  hops_at_known_ += hops_of_period_ * times;
  tick.from = tick.to = looked_ps_ = tick.from + by_ps;
  for (u32 w = 0; w < model_.witnesses; ++w) model_.view.endpoint.witness[w].notes = 0;
  wake_all(model_.view, tick.from);
  backend_.move_on(sums);
  find(tick.from, {found_->period_ps, found_->times - times});
}

}  // namespace heddle
