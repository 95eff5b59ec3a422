// Finds out, while a World is simulated, that it repeats itself, and moves its state on over what would be the same
// again (skip/README.md).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/backends/backend.hpp"
#include "kernels/outcome/skip.hpp"
#include "kernels/skip/agreement.hpp"
#include "kernels/skip/archives.hpp"
#include "kernels/skip/headway.hpp"
#include "kernels/skip/repetition.hpp"

namespace heddle {

/// A stretch of time that is looked at for whether it repeats itself.
struct RepetitionTrial {
  TimePs from_ps = 0, unit_ps = 0;  // the period of the witness
  u32 units = 1;                    // that of the fabric may be several of it
  bool again = false;               // it has moved evenly once
  u64 timely = 0;                   // Tally::timely at its start
  Movement movement;
  std::unique_ptr<Headway> headway;  // after the first period
  TimePs period_ps() const { return unit_ps * units; }
  TimePs next_stop_ps() const { return from_ps + period_ps() * (again ? 2 : 1); }
};

/// Of an engine that has all of a World, or of a part: then all parts call the same functions at the same instants, and
/// find the same.
class Skipper {
 public:
  Skipper(Model& model, Backend& backend) : model_(model), backend_(backend) {}

  /// Where the engine has to stop next at the latest, from `now_ps` on.
  TimePs next_stop_ps(TimePs now_ps) const;

  /// To be called wherever the engine stops, at the start of `tick`. Nothing of the World's end lies before `end_ps`.
  /// Of a part: nothing may be on its way to another, unless it is before next_stop_ps().
  void look(const Tick& tick, TimePs end_ps, Agreement& parts);

  /// At the start of the tick that look() saw last. It is found again after every one of its periods that is simulated.
  const std::optional<Repetition>& found() const { return found_; }

  /// The engine goes on by simulating, and may stop again before look() is called.
  void leave() { found_.reset(); }

  /// Moves the state on by so many of its periods, at most as many as were found: `tick` begins so much later.
  void skip(u64 times, Tick& tick);

  const std::vector<Skip>& skips() const { return skips_; }

 private:
  /// Of all parts.
  struct Sums {
    u64 packet_hops = 0, timely = 0;
  };
  Sums agree_on_sums(const Tally& mine, Agreement& parts);
  TimePs next_event_ps(const Tick& tick, Agreement& parts);
  bool affords(u64 values) const;
  TimePs period_of_witnesses(TimePs now_ps, Agreement& parts);
  void begin_trial(const Tick& tick, TimePs unit_ps, const Sums& sums, Tally mine);
  void continue_trial(const Tick& tick, TimePs end_ps, const Sums& sums, Tally mine, Agreement& parts);
  void give_up_or_lengthen(const Tick& tick, Agreement& parts);
  void find(TimePs now_ps, const Repetition& repetition);
  void find_again(const Tick& tick, Agreement& parts);
  void conclude(const Tick& tick, TimePs end_ps, TimePs first_fixed_ps, const Sums& sums, Agreement& parts);

  Model& model_;
  Backend& backend_;
  TimePs looked_ps_ = 0;  // or when something happens for the first time after it
  std::optional<u64> first_hops_;
  u64 packet_hops_ = 0;                           // so far, at the last look
  u64 values_ = 0;                                // looked at so far, here
  u64 values_of_state_ = 0;                       // here, as far as it is known
  u64 all_values_ = 0, all_values_of_state_ = 0;  // the same of all parts, as they last agreed
  u64 timely_ = 0;                                // at the last look
  u64 hops_of_period_ = 0, hops_at_known_ = 0;
  std::optional<RepetitionTrial> trial_;
  std::optional<Repetition> found_, known_;  // of these the first at this instant alone
  TimePs known_ps_ = 0;                      // the instant at which the other one was found, or is found again
  std::vector<u64> by_;                      // how it moves
  std::vector<Skip> skips_;
};

}  // namespace heddle
