// Counters of links at rows of the series that lie in time that is not simulated, because it repeats itself.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "kernels/outcome/counters.hpp"

namespace heddle {

/// A period is simulated that begins at `start_ps`; what follows it repeats it. A row's counters are those at the
/// instant of the period that it falls on, and what a period adds for every one in between.
class RepeatedRows {
 public:
  /// Of counters that are kept at once, of all parts of a World together.
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

  /// `most_bytes`: of the counters that are kept.
  RepeatedRows(std::size_t links, TimePs start_ps, TimePs period_ps, TimePs interval_ps,
               std::size_t most_bytes = kMostBytes)
      : start_ps_(start_ps),
        period_ps_(period_ps),
        interval_ps_(interval_ps),
        most_bytes_(most_bytes),
        first_(links),
        by_(links) {}

  /// The rows from `next_ps` on that lie in at most `times` periods. Returns in how many, all of whose rows fit into
  /// the memory that is to be used; 0: none.
  u64 plan(TimePs next_ps, u64 times);

  /// Instants of the first period, ascending, at which the counters are to be looked at.
  std::vector<TimePs> instants_ps() const;

  /// To be filled: counters at the start of the period, and at these instants.
  std::span<LinkCounters> first() { return first_; }
  std::span<LinkCounters> at(TimePs instant_ps);
  /// Counters at its end.
  void end_period(std::span<const LinkCounters> last);

  /// Whether counters at this instant are known, once the period is over.
  bool holds(TimePs row_ps) const;
  /// Counters at a row.
  void read(TimePs row_ps, std::span<LinkCounters> out) const;

 private:
  TimePs phase_of(TimePs row_ps) const { return (row_ps - start_ps_) % period_ps_; }

  const TimePs start_ps_, period_ps_, interval_ps_;
  const std::size_t most_bytes_;
  std::vector<LinkCounters> first_, by_;
  std::map<TimePs, std::vector<LinkCounters>> at_;  // by the time since the start
};

}  // namespace heddle
